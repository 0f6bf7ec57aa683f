"""The account of a target: its formulas with their tags, the evidence for them, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

from symledger.accounts.schema import account_json
from symledger.derivations.derivation import Derivation
from symledger.derivations.query import requested
from symledger.evidence import records
from symledger.evidence.fingerprints import fingerprint
from symledger.readings.flops import Causal
from symledger.tags.canonical import tag_of


class Account(Derivation):
    """Everything that is known about one target under what was set and assumed.

    Quantities are items (``account["flops.forward"]``) and attributes (``account.params``,
    ``account.flops_forward``).
    """

    def tag(self, name: str) -> str | None:
        """Return the permanent tag of a quantity, None where it is not the formula that has one."""
        return tag_of(self, name)

    @cached_property
    def evidence(self) -> dict[str, list[records.Record]]:
        """The recorded evidence of each quantity; an empty list where it was not checked."""
        return {name: records.of(self, name) for name in self.quantities}

    def evidence_for(self, name: str) -> list[records.Record]:
        """Return the recorded evidence of a quantity, of one that is asked for by name only too."""
        if name in self.quantities:
            return self.evidence[name]
        return records.of(self, name) if name in records.BASIS and name not in self.withheld else []

    def fingerprint(self, name: str) -> str | None:
        """Return the hash of a quantity as evidence is recorded for it; None for no quantity."""
        return fingerprint(self, name)

    def to_dict(self, quantities: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the promised JSON object."""
        asked = tuple(quantities) if quantities else self.quantities
        return account_json(self, asked, self.tag, self.evidence_for)

    def _copied(self, **changed: Any) -> Self:
        other = super()._copied(**changed)
        vars(other).pop("evidence", None)
        return other

    def __repr__(self) -> str:
        shown = f": {self.params!r}" if "params" in self.quantities else ""
        return f"<account of {self.target.name}{shown}>"


def derive(
    target: str, set: Mapping[str, Any] | None = None, assume: Iterable[str] = (),  # noqa: A002  # named as the command line names it
    dtype: str | None = None, optimizer: str | None = None, causal: Causal | None = None,
    input_gradient: bool | None = None, frozen: Iterable[str] | None = None,
    recipe: str | None = None, recompute: str | None = None, gradients: str | None = None,
    counters: bool | None = None, weights: str | None = None, step: str | None = None,
    first: bool | None = None, accumulate: bool | None = None, lora: str | None = None,
    schedule: str | None = None, cache: str | None = None, products: str | None = None,
) -> Account:  # fmt: skip
    """Derive the formulas of a target.

    Args:
        target: a catalogue name, a layer of torch.nn as in ``"Linear(768, 3072)"``, or
            ``path/to/model.py:ClassName``.
        set: values of symbols and choices of options, by name.
        assume: equations such as ``"d_ff = 4*d"``.
        dtype: the type of values, for bytes; fp32 unless told.
        optimizer: sgd, momentum, adam, adam-mixed, adafactor, muon, …; adam unless told.
        causal: how masked pairs are charged: full, half or exact; full unless told.
        input_gradient: whether the backward pass gives the gradient of float inputs; it does
            unless told.
        frozen: dotted names of weights that are not trained, ``*`` allowed; none unless told.
        recipe: a usual way to run a model, ``"bf16-flash"`` say; what is told beside it wins.
        recompute: what the backward pass runs again instead of keeping it, ``"attention.core"``
            say; nothing beyond the definition's own unless told.
        gradients: the type of gradients; that of values unless told.
        counters: whether the scalars are counted that PyTorch keeps for each weight.
        weights: the type of quantised weights, and which: ``"nf4"`` (all matrices that are
            multiplied by), ``"nf4:block.*"``; none unless told.
        step: how the optimizer's step is run, for peaks: foreach, single or fused; as torch.optim
            runs it on an accelerator unless told.
        first: whether peaks are those of the first step, which finds no state.
        accumulate: whether peaks are those of a batch that finds gradients of others.
        lora: the rank of adapters, which alone are trained, and the maps that they are of:
            ``"r=16"`` (queries and values), ``"r=16:attention,feed_forward"``; none unless told.
        schedule: when values live and die, for peaks: ``"program"``, or ``"eager"``, as PyTorch
            runs it, of a trace or of a reference that was observed; program unless told.
        cache: where keys and values lie between decoding steps, and in which type: ``"paged:16"``,
            ``"fp8"``, ``"paged,fp8"``; as the definition keeps them unless told.
        products: the type of what is multiplied by weights, and kept for their gradients:
            ``"fp8"``; with ``"bf16"`` or ``"fp16"`` all values are of the types that they have
            under ``torch.autocast``; that of values unless told.

    Raises:
        SymledgerError: anything that cannot be answered exactly; the message says why.

    >>> derive("mini_gpt").params.value
    131392
    """
    said = target, set, assume, dtype, optimizer, causal, input_gradient, frozen, recipe
    return Account(requested(*said, recompute, gradients, counters, weights, step, first,
                             accumulate, lora, schedule, cache, products))  # fmt: skip
