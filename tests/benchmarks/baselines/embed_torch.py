"""Embed as many texts as the first argument says by the original implementation."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
os.environ |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}

import torch
from sentence_transformers import SentenceTransformer

from tests.benchmarks.sentences import sentences

torch.set_num_threads(1)
count, directory = int(sys.argv[1]), sys.argv[2]
model = SentenceTransformer(directory, device="cpu")
model.encode(sentences(count), show_progress_bar=False, normalize_embeddings=True)
