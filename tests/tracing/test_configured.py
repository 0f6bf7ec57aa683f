"""Classes that are built of a configuration: which part of a file, and which keys of it."""

from dataclasses import dataclass

import pytest

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.tracing.modules.configured import by_own_names  # after PyTorch is known to be there


@dataclass
class Text:
    """A configuration of a decoder that many models have within them."""

    model_type = "text"
    base_config_key = "text_config"
    attribute_map = {"num_layers": "depth"}  # noqa: RUF012  # as it is written there
    width: int = 4
    num_layers: int = 2


class Decoder:
    """What is built of it."""

    config_class = Text


@pytest.mark.parametrize("config", [
    {"width": 8, "depth": 3},
    {"model_type": "both", "text_config": {"width": 8, "depth": 3}, "width": 5},
    {"model_type": "both", "words": {"model_type": "text", "width": 8, "num_layers": 3}},
    {"model_type": "text", "width": 8, "depth": 3},
])  # fmt: skip
def test_a_configuration_of_more_than_the_class_is_read_where_it_is_about_it(config):
    found = by_own_names(Decoder, config)
    assert (found["width"], found["num_layers"]) == (8, 3)
