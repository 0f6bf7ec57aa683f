"""What several arguments do together, where PyTorch refuses some of them or one decides another."""

from __future__ import annotations

from symledger.arguments.specs import Settings, written
from symledger.errors import BadInput
from symledger.torch_layers.row import Arguments, Rule


def each(value: object, number: int) -> tuple[int, ...]:
    """Return one whole number for each axis; what is no such number is looked at elsewhere."""
    found = value if isinstance(value, tuple) else (value,) * number
    return tuple(n if type(n) is int else 0 for n in found)


def smaller(name: str, than: str) -> Rule:
    """A size that has to be smaller than another one."""

    def rule(values: Arguments) -> Settings:
        small, large = values[name], values[than]
        if type(small) is int and type(large) is int and small >= large > 0:
            raise BadInput(f"{name} = {small} does not fit: it has to be smaller than {than}.")
        return {}

    return rule


def divided(name: str, by: str) -> Rule:
    """A size that another one has to divide."""

    def rule(values: Arguments) -> Settings:
        whole, parts = values[name], values[by]
        if type(whole) is int and type(parts) is int and whole > 0 < parts and whole % parts:
            near = sorted({max(whole // parts, 1) * parts, (whole // parts + 1) * parts})
            raise BadInput(
                f"{name} = {whole} does not fit: it has to be divisible by {by} = {parts}, as "
                f"{' or '.join(map(str, near))} is."
            )
        return {}

    return rule


def within(name: str, number: str) -> Rule:
    """A row of a table, counted from its end where it is negative."""

    def rule(values: Arguments) -> Settings:
        row, rows = values[name], values[number]
        if type(row) is int and type(rows) is int and not -rows <= row < rows:
            raise BadInput(f"{name} = {row} does not fit: {number} = {rows}.")
        return {}

    return rule


MOST_AXES = 64


def an_axis(values: Arguments) -> Settings:
    """The number of an axis, of a tensor of any rank that PyTorch has."""
    dim = values["dim"]
    if type(dim) is int and not -MOST_AXES <= dim < MOST_AXES:
        raise BadInput(f"dim = {dim} does not fit: a tensor has at most {MOST_AXES} axes.")
    return {}


def rising(low: str, high: str) -> Rule:
    """A number that has to be above another one."""

    def rule(values: Arguments) -> Settings:
        below, above = values[low], values[high]
        if isinstance(below, int | float) and isinstance(above, int | float) and above <= below:
            raise BadInput(f"{high} = {above} does not fit: it has to be above {low} = {below}.")
        return {}

    return rule


def at_most(low: str, high: str) -> Rule:
    """A number that another one may reach, and not exceed."""

    def rule(values: Arguments) -> Settings:
        below, above = values[low], values[high]
        if isinstance(below, int | float) and isinstance(above, int | float) and above < below:
            raise BadInput(f"{low} = {below} does not fit: it is at most {high} = {above}.")
        return {}

    return rule


def reversible(name: str) -> Rule:
    """A slope that can be told from what came out, where what came in is overwritten."""

    def rule(values: Arguments) -> Settings:
        slope = values[name]
        if values["inplace"] is True and isinstance(slope, int | float) and slope < 0:
            raise BadInput(
                f"{name} = {slope} does not fit: PyTorch has no gradient of it in place."
            )
        return {}

    return rule


def scaled(name: str, function: str) -> Rule:
    """A constant that makes another function of it, but for 1."""

    def rule(values: Arguments) -> Settings:
        return {} if values[name] == 1 else {"function": function}

    return rule


def untracked(values: Arguments) -> Settings:
    """Without running statistics those of the batch are taken, in inference too."""
    return {"training": "true"} if values["track_running_stats"] is False else {}


def same_padding(symbols: tuple[str, ...], more: tuple[str, ...]) -> Rule:
    """Padding ``'same'``: as much as leaves the length as it is, an odd one more at the end."""

    def rule(values: Arguments) -> Settings:
        if values["padding"] != "same":
            return {}
        stride, kernel, dilation = (
            each(values[name], len(symbols)) for name in ("stride", "kernel_size", "dilation")
        )
        if any(s != 1 for s in stride):
            raise BadInput("padding = 'same' is not supported by PyTorch with a stride above 1.")
        both = [r * (k - 1) for k, r in zip(kernel, dilation, strict=True)]
        found = {symbol: str(n // 2) for symbol, n in zip(symbols, both, strict=True)}
        if any(n % 2 for n in both):
            found |= {symbol: str(n % 2) for symbol, n in zip(more, both, strict=True)}
            found["uneven"] = "true"
        return found

    return rule


def half(number: int) -> Rule:
    """Padding of a pooling: at most half of its kernel, however far that is spread."""

    def rule(values: Arguments) -> Settings:
        kernel, padding = (each(values[name], number) for name in ("kernel_size", "padding"))
        if any(2 * p > k for p, k in zip(padding, kernel, strict=True)):
            raise BadInput(
                f"padding = {written(values['padding'])} does not fit: it is at most half of "
                f"kernel_size = {written(values['kernel_size'])}."
            )
        return {}

    return rule


def no_zero(values: Arguments) -> Settings:
    """What sums are divided by in place of the number of their elements."""
    if values["divisor_override"] == 0:
        raise BadInput("divisor_override = 0 does not fit: nothing is divided by zero.")
    return {}


def less_than_a_step(number: int) -> Rule:
    """What is added to a transposed convolution: less than the stride or the dilation."""

    def rule(values: Arguments) -> Settings:
        added, stride, dilation = (
            each(values[name], number) for name in ("output_padding", "stride", "dilation")
        )
        if any(q >= max(s, r) for q, s, r in zip(added, stride, dilation, strict=True)):
            raise BadInput(
                f"output_padding = {written(values['output_padding'])} does not fit: it has to be "
                "smaller than the stride or the dilation."
            )
        return {}

    return rule
