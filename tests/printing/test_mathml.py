"""MathML says what text and LaTeX say: read back, it has the same values and the same words."""

import random
import re
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

import symledger
from symledger import algebra, derive
from symledger.algebra import Terms
from symledger.languages.language import ENGLISH
from symledger.languages.sealing import opened
from symledger.ledger.formula import Formula
from symledger.ledger.steps import Opening
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, param
from symledger.printing import latex, mathml
from symledger.printing.breaking import WIDTH
from symledger.printing.mathml.block import folded, visible
from symledger.printing.mathml.elements import words
from symledger.readings.equations.sheet import LATEX, Equation, backward_equations, equations
from symledger.readings.equations.sheet import table_equations as tables
from symledger.readings.pullback import pullback
from symledger.sizes import BY_NAME, L, Size, V, d, d_ff, h, h_kv
from tests.every import CATALOGUE, account

from . import reading_mathml as read

Rows = list[tuple[Element, Element, Element]]
ASSETS = Path(symledger.__file__).parent / "site" / "assets"


def formulas(owner: str) -> list[Formula]:
    return [account(owner)[quantity] for quantity in account(owner).quantities]


def point(*polynomials: Terms) -> dict[str, int]:
    """Random sizes, the same for a formula each time."""
    names = sorted({s.name for p in polynomials for monomial in p for s, _ in monomial})
    draw = random.Random(" ".join(names))  # noqa: S311  # numbers to test with
    return {name: draw.randint(2, 97) for name in names}


def value(polynomial: Terms, at: dict[str, int]) -> Fraction | None:
    return algebra.value(polynomial, {s: at[s.name] for m in polynomial for s, _ in m})


def named(e: Element) -> set[str]:
    return {part.get("data-sym", "") for part in e.iter()} - {""}


# --- polynomials -------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_formula_has_its_value_and_its_symbols_when_it_is_read_back(owner: str) -> None:
    for formula in formulas(owner):
        for terms in (formula.general, formula.corollary_terms):
            at = point(terms)
            math = read.parse(mathml.inline(terms))
            assert read.value(read.shown(math), at) == value(terms, at), formula.id
            assert named(math) == at.keys()
            assert read.tex(math) == algebra.latex(terms)


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_opened_form_has_its_value_when_it_is_read_back(owner: str) -> None:
    for formula in formulas(owner):
        body = Opening()(formula.line, 2)
        found = [row[2] for row in rows(mathml.shown(body))]
        at = filled(point(formula.general, body.polynomial), found)
        tokens = [t for cell in found for t in read.tokens(cell, at)]
        assert read.evaluate(tokens) == value(formula.general, at), formula.id


def filled(at: dict[str, int], cells: Iterable[Element]) -> dict[str, int]:
    """Sizes, and some for the symbols of cells that cancel: what is done n/m times m times."""
    return {**dict.fromkeys(sorted(set().union(*map(named, cells))), 5), **at}


def rows(block: str) -> Rows:
    """The lines of a block, its reasons left out; a sign that starts one stands in its cell."""
    body = read.shown(read.parse(block))
    if body.tag != "mtable":
        return [(Element("mtd"), Element("mtd"), body)]
    found = [tuple(row) for row in body if row.get("class") != "reason"]
    for _, relation, right in found:
        if relation.text is None and len(relation) and relation[0].text in "+−":
            right.insert(0, relation[0])
    return found


@pytest.mark.parametrize("owner", CATALOGUE)
def test_a_formula_that_is_folded_into_a_column_loses_nothing(owner: str) -> None:
    for formula in formulas(owner):
        terms = formula.corollary_terms
        whole, column = mathml.inline(terms), folded(mathml.inline(terms), 24)
        body = read.shown(read.parse(column))
        lines = [*body.iter("mtd")] if body.tag == "mtable" else [body]
        at = point(terms)
        assert read.evaluate([t for row in lines for t in read.tokens(row, at)]) == value(terms, at)
        assert read.tex(read.parse(column)) == read.tex(read.parse(whole))
        for line in lines:
            text = "".join(line.itertext())
            assert visible(text) <= 24 + 1 or not re.search(r".[+−]", text), text


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_line_of_a_derivation_equals_the_one_before(owner: str) -> None:
    """Down to the number, under what is assumed; then the leading form and its value."""
    for formula, lines in zip(formulas(owner), lined(owner), strict=True):
        if formula.divisor:
            continue
        at = filled(consistent(formula), (right for _, _, right in lines))
        sides: list[tuple[str, list[read.Token]]] = []
        for left, relation, right in lines:
            sign = "".join(relation.itertext())
            if sign in ("=", "≈"):
                sides.append((sign, []))
                assert bool(read.seen(left)) == (len(sides) == 1)
            for part in split(right):
                sides += [("=", [])] if part is None else []
                sides[-1][1].extend([] if part is None else read.tokens(part, at))
        exact = value(formula.corollary_terms, at)
        main = value(formula.leading.terms, at) if formula.leading else None
        after = [sign for sign, _ in sides].index("≈") if "≈" in dict(sides) else len(sides)
        for i, (_, tokens) in enumerate(sides):
            assert read.evaluate(tokens) == (exact if i < after else main), formula.id


def consistent(formula: Formula) -> dict[str, int | Fraction]:
    """The configuration, where there is one, or random sizes under which the assumptions hold."""
    bound = {s.name: n for s, n in formula.assumed.bindings.items()}
    at: dict[str, int | Fraction] = {**point(formula.general, formula.corollary_terms), **bound}
    for s, p in formula.equations.items():
        at |= {n: v for n, v in point(p).items() if n not in at}
        at[s.name] = value(p, at)
    return at


def split(cell: Element) -> list[Element | None]:
    """The parts of a cell; None stands for an equals sign."""
    return [None if part.tag == "mo" and part.text == "=" else part for part in cell]


def test_numbers_put_in_for_symbols_give_the_result() -> None:
    account = derive("mini_gpt")
    for name in ("params", "flops.training", "memory.training", "intensity.forward"):
        formula = account[name]
        found: list[list[read.Token]] = []
        at = {s.name: n for s, n in formula.assumed.bindings.items()}
        for _, relation, right in rows(mathml.substituted(formula)):
            found += [[]] if "=" in relation.itertext() else []
            found[-1].extend(read.tokens(right, at))
        assert [read.evaluate(tokens) for tokens in found] == [formula.exact] * 3
    tex = read.tex(read.parse(mathml.substituted(account.params)))
    assert r"&= 12 \cdot 2 \cdot 64^{2} + 2 \cdot 2 \cdot 64 + 512 \cdot 64 + 64 \\" in tex


def test_what_is_unbound_is_not_substituted() -> None:
    block = mathml.substituted(derive("linear").params, named=False)
    assert len(rows(block)) == 1
    assert read.tex(read.parse(block)).startswith("\\begin{aligned}\n&= d_")


@pytest.mark.parametrize(
    ("e", "seen"),
    [
        (12 * L * d**2 + V * d, "12⁢L⁢d2+V⁢d"),
        (-d * h + h, "−d⁢h+h"),
        (131392 * d / h, "131,392⁢dh"),
        (5 * d / (6 * h**2), "5\u2062d6\u2062h2"),
        (1024 + d, "d+1024"),
        (0 * d, "0"),
        (d_ff * h_kv, "dff⁢hkv"),
    ],
)
def test_a_polynomial_is_seen_as_it_is_meant(e: object, seen: str) -> None:
    terms = algebra.terms(e)
    body = read.shown(read.parse(mathml.inline(terms)))
    assert "".join(body.itertext()) == seen
    assert read.value(body, point(terms)) == value(terms, point(terms))


def test_symbols_of_a_users_own_are_spelled_as_in_latex() -> None:
    own = [Size("window"), Size("n_tokens_max"), Size("d_2"), Size("_x"), Size("y_")]
    found = [mathml.inline(algebra.variable(s)) for s in own]
    assert [named(read.parse(markup)) for markup in found] == [{s.name} for s in own]
    assert '<msub data-sym="n_tokens_max"><mi>n</mi><mi>tokens\u2009max</mi></msub>' in found[1]
    assert "<mn>2</mn>" in found[2]


def test_a_bound_is_the_largest_of_its_charges() -> None:
    lead = derive("mini_gpt").params.leading
    assert lead
    bound = read.shown(read.parse(mathml.bound(lead)))
    assert "".join(bound.itertext()) == "max\u2061(16\u2062d,1V)"


def test_what_is_assumed_and_what_others_decide() -> None:
    assert "".join(read.shown(read.parse(mathml.given(d_ff, algebra.terms(4 * d)))).itertext()) == (
        "dff=4\u2062d"
    )
    found = 0
    for name in CATALOGUE:
        for e in account(name).program.definitions.values():
            math = read.parse(mathml.expression(e))
            assert read.latex(read.shown(math)) == read.plain(read.tex(math)), name
            assert named(math) == {s.name for s in e.free_symbols}
            found += "⌊" in "".join(math.itertext())
    assert found


# --- equations ---------------------------------------------------------------------------------


@cache
def pairs(name: str) -> list[tuple[Equation, Equation]]:
    a = account(name)
    ours, theirs = ([*(e for side in a.equations(to) for e in side),
                     *tables(a.program, notation=to)] for to in (mathml.MATHML, LATEX))  # fmt: skip
    return list(zip(ours, theirs, strict=True))


def spelled(e: Equation) -> str:
    """An equation in LaTeX, from the one line of its MathML."""
    block = read.shown(read.parse(mathml.equation(e, e, width=10**6)))
    return "=".join(read.latex(cell) for cell in (block[0][0], block[0][2]))


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_equation_is_that_of_latex(owner: str) -> None:
    for ours, theirs in pairs(owner):
        assert spelled(ours) == read.plain(str(theirs))


@pytest.mark.parametrize("owner", CATALOGUE)
def test_long_equations_lose_nothing_where_they_are_broken(owner: str) -> None:
    for ours, _ in pairs(owner):
        whole, lines = (rows(mathml.equation(ours, ours, w)) for w in (10**6, 30))
        text = "".join(whole[0][2].itertext())
        assert "".join("".join(r.itertext()) for _, _, r in lines) == text


@pytest.mark.parametrize("name", ["attention", "conv2d", "group_norm", "mamba_mixer"])
def test_long_equations_are_broken(name: str) -> None:
    assert any(len(rows(mathml.equation(ours, ours, 30))) > 1 for ours, _ in pairs(name))


class Primed(Component):
    """Names that need care: a prime, a subscript of their own, a letter that is a word."""

    signature = "B d -> B d"

    def forward(self, x):
        W_up = param("W_up", d)
        return steps(x=apply("tanh", x) * W_up, gamma=apply("gelu_tanh", x) * W_up)


def test_names_with_primes_subscripts_and_greek_letters() -> None:
    program = program_of(Primed())
    ours, theirs = (equations(program, notation=to) for to in (mathml.MATHML, LATEX))
    assert [spelled(e) for e in ours] == [read.plain(str(e)) for e in theirs]
    back = pullback(program)
    ours, theirs = (backward_equations(back, to) for to in (mathml.MATHML, LATEX))
    assert [spelled(e) for e in ours] == [read.plain(str(e)) for e in theirs]


def test_tensors_and_sizes_of_one_letter_are_told_apart() -> None:
    scores = read.parse(mathml.equation(*pairs("dot_product_attention")[0]))
    assert named(scores) == {"d_k"}
    assert {e.get("data-tensor") for e in scores.iter()} - {None} == {"scores", "q", "k"}


# --- markup ------------------------------------------------------------------------------------

CHILDREN = {"msub": 2, "msup": 2, "munder": 2, "mfrac": 2, "msubsup": 3}
CORE = {*CHILDREN, "math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "mtext", "mspace",
        "msqrt", "mtable", "mtr", "mtd"}  # fmt: skip
ATTRIBUTES = {"display", "displaystyle", "class", "encoding", "form", "stretchy", "lspace",
              "rspace", "movablelimits", "mathvariant", "width", "data-sym",
              "data-tensor"}  # fmt: skip


@cache
def derivations(owner: str) -> list[str]:
    """The derivations of an owner: as deep as pages open them, its parameters to the ground."""
    return [mathml.derivation(owner, formula, depth(formula)) for formula in formulas(owner)]


@lru_cache(maxsize=1)  # a worker runs the tests of an owner one after the other
def lined(owner: str) -> list[Rows]:
    """The lines of its derivations."""
    return [rows(block) for block in derivations(owner)]


def depth(formula: Formula) -> int:
    return 9 if formula.id.endswith(".params") else 3


@cache
def blocks(owner: str) -> list[str]:
    found = [mathml.substituted(formula) for formula in formulas(owner)]
    return derivations(owner) + found + [mathml.equation(*pair) for pair in pairs(owner)]


@pytest.mark.parametrize("owner", CATALOGUE)
def test_all_markup_is_xml_of_mathml_core_with_no_entity_of_html(owner: str) -> None:
    for block in blocks(owner):
        assert not set(re.findall("&[^;]*;", block)) - {"&amp;", "&lt;", "&gt;", "&quot;"}
        for e in read.parse(block).iter():
            assert e.tag in CORE
            assert e.attrib.keys() <= ATTRIBUTES
            assert len(e) == CHILDREN.get(e.tag, len(e))
            assert len(e) == 0 or not (e.text or "").strip()
            assert e.tag not in ("mi", "mn", "mo") or e.text


def test_a_derivation_carries_the_tex_that_is_printed() -> None:
    formula = derive("gpt2").params
    printed = latex.derivation("gpt2", formula, 3)
    assert read.tex(read.parse(mathml.derivation("gpt2", formula, 3))) == printed.strip()


@pytest.mark.parametrize("owner", CATALOGUE)
def test_lines_are_broken_where_latex_breaks_them(owner: str) -> None:
    for formula, ours in zip(formulas(owner), lined(owner), strict=True):
        theirs = latex.derivation(owner, formula, depth(formula))
        assert len(ours) == theirs.count("&"), formula.id
        for _, _, right in ours:
            text = "".join(right.itertext())
            assert visible(text) <= WIDTH + 1 or not re.search(r".[+−]", text), text


def test_steps_stand_alone_with_their_reasons() -> None:
    steps = mathml.steps_of(derive("mini_gpt").params, 2)
    assert [s.relation for s in steps] == ["=", "=", "=", "=", "=", "≈"]
    assert [opened(ENGLISH, s.reason).split("<")[0] for s in steps] == [
        "line by line", "parts opened", "multiplied out and collected", "with ", "",
        "relatively too low by at most ",
    ]  # fmt: skip
    for step in steps:
        assert read.tex(read.parse(step.markup)) == step.tex
        read.parse(f"<p>{step.reason}</p>")


def test_words_are_escaped() -> None:
    assert words("a < b & c ") == "<mtext>a &lt; b &amp; c\u00a0</mtext>"


def test_markup_does_not_depend_on_the_order_of_hashes() -> None:
    code = (
        "from symledger import derive; from symledger.printing import mathml; a = derive('llama')\n"
        "print(mathml.derivation('llama', a.flops_training, 9), a.equations(mathml.MATHML))"
    )
    found = {
        subprocess.run(  # noqa: S603  # our own code
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            cwd=ASSETS.parents[2], capture_output=True, check=True,
        ).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(found) == 1


# --- the font ----------------------------------------------------------------------------------


@cache
def font() -> set[str]:
    listed = re.search(r"--unicodes=(\S+)", (ASSETS / "fonts/README.txt").read_text())
    assert listed
    found: set[str] = set()
    for part in listed[1].replace("U+", "").split(","):
        first, _, last = part.partition("-")
        found |= {chr(c) for c in range(int(first, 16), int(last or first, 16) + 1)}
    return found


@pytest.mark.parametrize("owner", CATALOGUE)
def test_every_character_of_a_formula_is_in_the_font(owner: str) -> None:
    unseen = re.compile("<annotation.*?</annotation>|<[^>]*>", re.DOTALL)
    said = (opened(ENGLISH, block) for block in blocks(owner))
    used = {c for block in said for c in unescape(unseen.sub("", block))}
    assert used <= font(), used - font()


def test_every_character_of_a_symbol_is_in_the_font() -> None:
    used = {c for s in BY_NAME.values() for c in s.name}
    assert used <= font(), used - font()


def test_the_font_is_small_and_comes_from_here() -> None:
    css = (ASSETS / "math.css").read_text()
    (file,) = re.findall(r'url\("([^"]*)"\)', css)
    assert (ASSETS / file).stat().st_size < 70_000
    assert "SIL OPEN FONT LICENSE" in (ASSETS / "fonts/OFL.txt").read_text()
    assert "//" not in css
