"""Writes config.json, model.safetensors and expected.json beside this file (PyTorch and transformers)."""

import json
from pathlib import Path

import torch
import transformers
from transformers import BertConfig, BertForMaskedLM

here = Path(__file__).parent
torch.manual_seed(20)
config = BertConfig(
    vocab_size=60,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=48,
    max_position_embeddings=20,
)
model = BertForMaskedLM(config).eval()
with torch.no_grad():
    for name, tensor in model.named_parameters():
        # Every parameter matters: gains are not 1, biases not 0.
        tensor.copy_(torch.randn(tensor.shape) * 0.15 + (1 if name.endswith("LayerNorm.weight") else 0))
model.save_pretrained(here)
model = model.double()

rows = [list(torch.randint(5, 60, (length,)).tolist()) for length in (11, 7, 9)]
ids = torch.tensor([row + [0] * (11 - len(row)) for row in rows])
mask = torch.tensor([[1] * len(row) + [0] * (11 - len(row)) for row in rows])
hidden_places = [[1, 4, 9], [3], [2, 7]]
targets = [[ids[i, place].item() for place in places] for i, places in enumerate(hidden_places)]
for i, places in enumerate(hidden_places):
    ids[i, places] = 4  # the mask token

losses, norms = [], []
for i, places in enumerate(hidden_places):
    model.zero_grad()
    length = len(rows[i])
    logits = model(input_ids=ids[i : i + 1, :length]).logits[0, places]
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(targets[i]), reduction="sum")
    loss.backward()
    losses.append(loss.item())
    norms.append({name: tensor.grad.norm().item() for name, tensor in model.named_parameters()})
with torch.no_grad():
    logits = model(input_ids=ids, attention_mask=mask).logits

expected = {
    "origin": f"BertForMaskedLM of transformers {transformers.__version__} on PyTorch {torch.__version__}, float64,"
    " dropout off, by make.py; the loss is summed over the hidden places of an example",
    "input_ids": ids.tolist(),
    "attention_mask": mask.tolist(),
    "places": hidden_places,
    "targets": targets,
    "logits_at_places": [[round(x, 10) for x in logits[i, p].tolist()] for i, ps in enumerate(hidden_places) for p in ps],
    "loss_per_example": losses,
    "gradient_norm_per_example_per_parameter": norms,
}
(here / "expected.json").write_text(json.dumps(expected, indent=1))
(here / "generation_config.json").unlink(missing_ok=True)
