"""The examples of models in PyTorch, traced: as many parameters as PyTorch counts itself."""

from importlib.util import module_from_spec, spec_from_file_location

import pytest

from symledger import trace
from tests import documents
from tests.every import COSTLY

torch = pytest.importorskip("torch", reason="needs PyTorch")

MODELS = documents.ROOT / "examples" / "pytorch"
TOKENS = "int64 (B, T)"


EXAMPLES = [
    ("gpt", "GPT", f"idx: {TOKENS}", "12Ld² + 13Ld + T_max·d + Vd + 2d"),
    ("llama", "Llama", f"tokens: {TOKENS}",
     "2Ld² + 2Ld²·h_kv/h + 3Ld·hidden_dim + 2Ld + 2Vd + d"),
    ("mixture", "Mixture", f"ids: {TOKENS}", "2ELd·d_ff + ELd + 4Ld² + 8Ld + 2Vd"),
    ("gated", "Decoder", f"ids: {TOKENS}", "4Ld² + 3Ld·n_1 + 7Ld + 2L·n_1 + 2Vd + d"),
    ("resnet", "ResNet", "images: float32 (B, 3, H, W)", ""),
    ("lstm", "LanguageModel", f"ids: {TOKENS}",
     "Vd + V·hidden_size + 4d·hidden_size + 12hidden_size² + V + 16hidden_size"),
]  # fmt: skip


@COSTLY(6)
@pytest.mark.parametrize(("file", "name", "enters", "formula"), EXAMPLES)
def test_an_example_has_as_many_parameters_as_pytorch_counts(file, name, enters, formula):
    path = MODELS / f"{file}.py"
    found = trace(f"{path}:{name}", inputs=enters)
    spec = spec_from_file_location(file, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    with torch.device("meta"):
        counted = sum(p.numel() for p in getattr(module, name)().parameters())
    assert found.params.value == counted
    assert formula in ("", found.params.text)
