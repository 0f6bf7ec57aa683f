"""What PyTorch has, or says in a few lines, for each target; and what it does otherwise.

A topic's components stand in a file of their own in ``modules``, models in ``models``, each with
its cases. Here they are joined: a new file is named here, a new case nowhere but in its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symledger.checks.torch.case import Case
from symledger.checks.torch.models import decoders, encoder_decoders, encoders, images
from symledger.checks.torch.modules import (
    attention,
    attention_images,
    attention_kinds,
    attention_latent,
    attention_shared,
    blocks,
    blocks_stacked,
    blocks_streams,
    convolution,
    embeddings,
    feed_forward,
    feed_forward_hashed,
    heads_and_losses,
    image_blocks,
    layout,
    maps,
    norms,
    recurrence,
    state_spaces,
    state_spaces_decaying,
    state_spaces_delta,
    state_spaces_gated,
    state_spaces_kimi,
    state_spaces_lightning,
    state_spaces_memory,
)

COMPONENTS = (
    maps, attention, attention_images, attention_kinds, attention_latent, attention_shared,
    feed_forward, feed_forward_hashed, norms, embeddings, heads_and_losses, blocks,
    blocks_stacked, blocks_streams, convolution, image_blocks, recurrence, state_spaces,
    state_spaces_decaying, state_spaces_delta, state_spaces_gated, state_spaces_kimi,
    state_spaces_lightning, state_spaces_memory, layout,
)  # fmt: skip
MODELS = (decoders, encoders, encoder_decoders, images)


def joined(tables: Iterable[Mapping[str, tuple[Case, ...]]]) -> Mapping[str, tuple[Case, ...]]:
    """Return all cases by target.

    Raises:
        ValueError: two files have cases of one target.
    """
    found: dict[str, tuple[Case, ...]] = {}
    for table in tables:
        twice = found.keys() & table.keys()
        if twice:
            raise ValueError(f"two files of checks/torch have cases of {', '.join(sorted(twice))}")
        found.update(table)
    return found


def file_of(target: str) -> str:
    """Return the file with the cases of a target."""
    return str(next(f.__file__ for f in (*COMPONENTS, *MODELS) if target in f.CASES))


CASES = joined(file.CASES for file in (*COMPONENTS, *MODELS))
"""Every target that PyTorch has, or that is a few lines of it."""
