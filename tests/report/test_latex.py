"""Derivations as LaTeX compile in a paper that loads nothing but amsmath."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from symledger import derive
from symledger.catalogue.entries import ENTRIES
from symledger.report import latex
from tests.every import WHOLE, account, share

QUANTITIES = ("params", "flops.backward", "flops.training", "memory.saved", "intensity.forward")


def document(parts: list[str]) -> str:
    head = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
    return "\n".join([head, *parts, r"\end{document}"])


@WHOLE
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_every_derivation_of_the_catalogue_compiles_with_amsmath_alone(tmp_path: Path) -> None:
    parts = []
    for entry in share(ENTRIES, 10):
        found = account(entry.name)
        names = [q for q in QUANTITIES if q in found.quantities]
        # labels repeat where configurations share a family
        parts.append(re.sub(r" \\label{[^}]*}", "", latex.write(found, names, 9)))
    (tmp_path / "paper.tex").write_text(document(parts))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(  # noqa: S603  # our own command
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    wide = [float(w) for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(wide, default=0) < 30


def test_a_derivation_goes_from_lines_to_the_number_and_then_to_the_leading_form() -> None:
    written = latex.write(derive("mini_gpt"), ["params"], 2)
    assert written.startswith("% mini_gpt.params: unique parameters, in parameters\n")
    right_sides = re.findall(r"&(=|\\approx) (.*?) \\", written)
    assert right_sides[-2:] == [
        ("=", "131{,}392"), ("\\approx", "12 L d^{2} + V d = 131{,}072"),
    ]  # fmt: skip
    assert r"&= 12 L d^{2} + 2 L d + V d + d \notag" in written
    assert r"\label{eq:mini_gpt.params}" in written


def test_an_unbound_derivation_has_no_number() -> None:
    written = latex.write(derive("linear"), ["params"], 2)
    assert written.count("&=") == 1
    assert "too low by at most $\\frac{1}{d_{\\mathrm{in}}}$" in written


def test_symbols_of_a_users_own_are_spelled_so_that_tex_reads_them() -> None:
    from symledger.sizes import Size

    assert Size("window").latex == r"\mathit{window}"
    assert Size("n_tokens_max").latex == r"n_{\mathrm{tokens\,max}}"
