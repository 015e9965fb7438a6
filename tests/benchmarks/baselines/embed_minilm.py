"""Embed as many texts as the first argument says, as crewmem does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from crewmem.backends.embed.minilm import MiniLM
from tests.benchmarks.sentences import sentences

count, directory, home = int(sys.argv[1]), *sys.argv[2:4]
MiniLM(directory, home).embed(sentences(count))
