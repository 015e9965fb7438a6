"""Make minilm.json: vectors of some texts by the reference implementation.

Run it where torch and transformers are installed, with the directory of the published weights:
``python reference.py DIRECTORY``.
"""

import base64
import json
import sys
from pathlib import Path

TEXTS = [
    "harbor",
    "Deploys of the shop happen on Tuesdays after lunch.",
    "Wo liegt der Schlüssel für die Auslieferung?",
    "На складе закончились контейнеры.",
    "部署在每周二下午进行。",
    "def main(argv): return run(argv[1:])  # exit 0",
    "The crane stopped at 3 a.m.; nobody was hurt. " * 12,
    "Backups run every night and are kept for a month. " * 60,
]

if __name__ == "__main__":
    import torch
    from transformers import AutoTokenizer, BertModel

    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    model = BertModel.from_pretrained(sys.argv[1], add_pooling_layer=False).eval()
    vectors = []
    for text in TEXTS:
        with torch.inference_mode():
            tokens = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
            mean = model(**tokens).last_hidden_state.mean(1)
            vector = torch.nn.functional.normalize(mean, dim=1)[0].numpy()
        vectors.append(base64.b64encode(vector.tobytes()).decode())
    content = {"made by": "transformers with torch", "texts": TEXTS, "vectors": vectors}
    Path(__file__).with_name("minilm.json").write_text(json.dumps(content, indent=1) + "\n")
