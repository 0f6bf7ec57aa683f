"""Every measured record, asked of our formulas: exact, or exactly explained by known artefacts."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from symledger import algebra, derive
from symledger.algebra.parsing import parse_expression
from symledger.checks.torch.artefacts import ARTEFACTS
from symledger.ir.shapes import ONE
from tests.checks.ground_truth import saved
from tests.checks.ground_truth.families import FAMILIES, KINDS, MODULES

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Compared:
    """One measured number beside ours, and the artefacts that stand between them."""

    what: str
    measured: int
    ours: int
    uses: tuple[str, ...] = ()


def records(name):
    """Return the records of a file, each with a name of its own."""
    return json.loads((HERE / f"{name}.json").read_text("utf-8"))["records"]


def compare(name, record):
    """Yield every number of a record of a file beside ours."""
    return {"saved_activations": of_saved, "flops": of_flops, "models": of_models}[name](record)


def of_saved(record):
    for row in record["rows"]:
        measured = {field: n for field, n in row.items() if field != "dims"}
        asked = saved.questions(record["id"], row["dims"])
        for field, bytes_kept in measured.items():
            question = asked[field]
            ours = answered(question).value
            more = sum(n * amount(name, question.quantity) for name, n in question.uses.items())
            what = f"{record['id']} {field} at {row['dims']}"
            yield Compared(what, bytes_kept, ours + more, tuple(question.uses))


def amount(artefact, quantity):
    """Return how much more of a quantity one use of an artefact makes."""
    rows = [row.more for row in ARTEFACTS[artefact] if row.quantity == quantity]
    return sum(int(parse_expression(more, {})) for more in rows)


def of_flops(record):
    account = asked(record, {"B": record["B"], **lengths(record)})
    yield Compared("parameters", record["params"], account.params.value)
    yield Compared("forward", record["forward"], account.flops_forward.value)
    yield Compared("forward and backward", record["training"], training(account, record))
    for module, measured in record["modules"].items():
        _, _, inside = module.partition(".")
        paths = MODULES[record["class"]][inside] if inside else ("",)
        yield Compared(module, measured, lines(account, "flops.forward", paths))


def training(account, record):
    """Both passes; an image gets no gradient."""
    if record["class"].startswith("torchvision"):
        account = account.under(input_gradient=False)
    return account.flops_training.value


def lengths(record):
    if record["class"].startswith("torchvision"):
        return {}
    return {"T": record["S"], "S": record["T"]} if record["S"] else {"T": record["T"]}


def of_models(record):
    account = asked(record, {})
    yield Compared("parameters", record["params"], account.params.value)
    if record["active"]:
        yield Compared("active", record["active"], account.params_active.value)
    for kind, measured in record["by_type"].items():
        paths = KINDS[record["class"]][kind]
        yield Compared(kind, measured, lines(account, "params", paths))


def asked(record, sizes):
    """Return our account of a record's model."""
    question = FAMILIES[record["class"]](record["config"])
    settings = {**question.settings, **sizes}
    if question.target.startswith("nn.Linear"):
        settings = {"B": settings.get("B", 1) * settings.pop("T", 1)}
    return account_of(question.target, tuple(settings.items()))


@cache
def account_of(target, settings, conventions=()):
    return derive(target, dict(settings), **dict(conventions))


def answered(question):
    settings, conventions = question.settings.items(), question.conventions.items()
    return account_of(question.target, tuple(settings), tuple(conventions))[question.quantity]


def lines(account, quantity, paths):
    """Return what some lines of a ledger are worth together; those that are absent are nothing."""
    found = [line(account[quantity].line, path) for path in paths]
    terms = algebra.substitute(algebra.add(found), account.assumed.equations)
    return algebra.value(terms, account.assumed.bindings)


def line(whole, path):
    """Return the amount at a path: of one layer, or of all of them where ``every`` is said."""
    every, path = path.startswith("every "), path.removeprefix("every ")
    times, here = algebra.terms(ONE), whole
    for label in filter(None, path.split(".")):
        here = next((part for part in here.parts if part.label == label), None)
        if here is None:
            return {}
        times = algebra.multiply(times, algebra.terms(here.times))
    return algebra.multiply(times, here.each) if every else here.each


def counted():
    """Return how many records are exact and how many explained, and how often each artefact is."""
    kinds, used = Counter(), Counter()
    for name in ("saved_activations", "flops", "models"):
        for record in records(name):
            found = list(compare(name, record))
            wrong = [c for c in found if c.measured != c.ours]
            explained = {use for c in found for use in c.uses}
            kinds["wrong" if wrong else "explained" if explained else "exact"] += 1
            used.update(explained)
    return kinds, used


def main():
    kinds, used = counted()
    print(f"{sum(kinds.values())} records: {kinds['exact']} exact, {kinds['explained']} exactly "
          f"explained, {kinds['wrong']} wrong")  # fmt: skip
    for name, times in sorted(used.items()):
        print(f"  {name}: {times} records; {ARTEFACTS[name][0].reason}")


if __name__ == "__main__":
    main()
