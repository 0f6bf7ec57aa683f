"""PyTorch's counter of FLOPs, without what it notes for each module.

The formulas, and what is taken apart before it is counted, are those of ``FlopCounterMode``; of it
only the sum is wanted here. Its table by module, and asking at every call whether an operation can
be taken apart, take longer than the operations of networks as small as ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

Formula = Callable[..., int]


class Counter(TorchDispatchMode):
    """Counts the FLOPs of what is run within it, by ``special`` formulas where there are some."""

    def __init__(self, special: Mapping[Any, Formula] | None = None) -> None:
        super().__init__()
        self.total = 0
        self.formulas = FlopCounterMode(display=False, custom_mapping=special).flop_registry
        self.whole: set[Any] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Leave this mode as it is: nothing is compiled here."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Run an operation and count it, or else what it consists of."""
        given, packet = kwargs or {}, func._overloadpacket
        if func not in self.whole and packet not in self.formulas:
            with self:
                parts = func.decompose(*args, **given)
            if parts is not NotImplemented:
                return parts
            self.whole.add(func)
        out = func(*args, **given)
        if packet in self.formulas:
            self.total += self.formulas[packet](*args, **given, out_val=out)
        return out
