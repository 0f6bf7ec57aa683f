"""Plots: every datum is drawn where it belongs, and stands beside the drawing."""

import re
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from symledger import derive
from symledger.languages.language import ENGLISH, languages
from symledger.languages.message import message
from symledger.languages.sealing import opened
from symledger.site.kinds.families import ATTENTION, KINDS, named
from symledger.site.kinds.model import figures
from symledger.site.plots import (
    Axis,
    Part,
    Point,
    Rule,
    Series,
    line_plot,
    scatter_plot,
    stacked_bar,
)
from symledger.site.plots.axes import scale, written
from symledger.site.plots.figure import WIDTH, number, spread, text_width
from symledger.site.plots.marks import SHAPES
from symledger.site.plots.naming import Box, around, placed

SVG = "{http://www.w3.org/2000/svg}"
PARTS = [Part("embedding", 1, 1), Part("blocks < all", 3, 2), Part("norm", Fraction(0), 3)]


def drawn(figure):
    return ElementTree.fromstring(opened(ENGLISH, figure.svg))  # noqa: S314  # our own drawing


def points(element):
    pairs = element.get("d").replace("M", "L").split("L")[1:]
    return [tuple(map(float, pair.split(","))) for pair in pairs]


def test_a_bar_is_divided_as_its_parts_are():
    bars = drawn(stacked_bar("x", "Bar", "parameters", PARTS)).findall(f"{SVG}rect")
    heights = [float(bar.get("height")) for bar in bars]
    assert heights[1] == pytest.approx(3 * heights[0], abs=0.2)
    assert heights[2] <= 0.5


def test_every_part_is_named_with_its_share_and_stands_in_the_data():
    figure = stacked_bar("x", "Bar", "parameters", PARTS)
    texts = [text.text for text in drawn(figure).findall(f"{SVG}text")]
    assert texts == ["embedding", "25.0 %", "blocks < all", "75.0 %", "norm", "0 %"]
    assert figure.csv == (
        b"part,parameters,share\nembedding,1,25.0 %\nblocks < all,3,75.0 %\nnorm,0,0 %\n"
    )


def test_a_drawing_says_what_it_shows():
    root = drawn(stacked_bar("x", "Bar", "parameters", PARTS))
    assert root.get("role") == "img"
    assert root.get("viewBox").startswith(f"0 0 {WIDTH} ")
    named = {e.get("id"): e.text for e in root if e.get("id")}
    assert [named[i] for i in root.get("aria-labelledby").split()] == [
        "Bar", "embedding: 25.0 %; blocks < all: 75.0 %; norm: 0 %",
    ]  # fmt: skip


def test_equal_ratios_are_equal_distances_on_logarithmic_axes():
    square = Series("x²", tuple((x, x * x) for x in (1, 10, 100)))
    figure = line_plot("x", "Line", Axis("x", log=True), Axis("y", log=True), [square])
    (line,) = [e for e in drawn(figure).iter(f"{SVG}path") if "line" in e.get("class")]
    (ax, ay), (bx, by), (cx, cy) = points(line)
    assert bx - ax == pytest.approx(cx - bx, abs=0.2)
    assert by - ay == pytest.approx(cy - by, abs=0.2)
    assert figure.rows == (("1", "1"), ("10", "100"), ("100", "10000"))


def test_a_linear_axis_begins_at_zero_and_ends_at_a_round_value():
    y = scale(Axis("y"), [3, 390], 100, 0)
    assert y.ticks == (0, 100, 200, 300, 400)
    assert (y.at(0), y.at(200), y.at(400)) == (100, 50, 0)


def test_what_a_logarithmic_axis_cannot_show_interrupts_the_line_and_stays_in_the_data():
    one = Series("error", ((1, 0.1), (2, 0.1), (3, 0.0), (4, 0.1), (5, 0.1)), marked=True)
    figure = line_plot("x", "Line", Axis("step"), Axis("error", log=True), [one])
    (line,) = [e for e in drawn(figure).iter(f"{SVG}path") if "line" in e.get("class")]
    assert line.get("d").count("M") == 2
    assert len([e for e in drawn(figure) if "dot" in e.get("class", "")]) == 4
    assert ("3", "0") in figure.rows


def test_series_with_points_of_their_own_share_one_table():
    pair = [Series("a", ((1, 2), (2, 4))), Series("b", ((2, 5),))]
    figure = line_plot("x", "Line", Axis("n"), Axis("y"), pair)
    assert figure.head == ("n", "a", "b")
    assert figure.rows == (("1", "2", ""), ("2", "4", "5"))


def test_names_of_lines_that_end_together_are_moved_apart():
    same = [Series(label, ((1, 1), (2, 2))) for label in "abc"]
    names = [
        float(e.get("y"))
        for e in drawn(line_plot("x", "t", Axis("x"), Axis("y"), same)).iter(f"{SVG}text")
        if "name" in e.get("class")
    ]
    assert names[1] - names[0] >= 13.9
    assert names[2] - names[1] >= 13.9


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([10, 30], [10, 30]),
        ([10, 12], [6, 16]),
        ([0, 0, 0], [0, 10, 20]),
        ([60, 60, 60], [40, 50, 60]),
        ([5, 50, 51, 52], [5, 40, 50, 60]),
    ],
)
def test_spread_moves_as_little_as_needed(wanted, found):
    assert spread(wanted, 10, 0, 60) == pytest.approx(found, abs=1.01)


@pytest.mark.parametrize(
    ("value", "axis", "text"),
    [
        (1e-8, Axis("", log=True), "10⁻⁸"),
        (768, Axis("", log=True, ticks=(768,)), "768"),
        (131072, Axis(""), "131.1 k"),
        (0.25, Axis(""), "0.25"),
    ],
)
def test_ticks_are_written_for_people(value, axis, text):
    assert written(value, axis) == text


def test_coordinates_are_short_and_have_no_negative_zero():
    assert [number(x) for x in (1.0, 1.26, -0.01, -2)] == ["1", "1.3", "0", "-2"]


LOG = Axis("x", log=True), Axis("y", log=True)
MANY = [Point(f"family {i % 5}", f"model-{i}", "ab"[i % 2], 10 + i, 100 * (i + 1) ** 2)
        for i in range(60)]  # fmt: skip


def scattered(points=MANY, rule=None):
    return scatter_plot("x", "Points", *LOG, {"a": 1, "b": 2, "c": 3}, points, rule)


def test_every_point_is_drawn_in_the_colour_and_shape_of_its_kind():
    groups = drawn(scattered()).findall(f"{SVG}a")
    assert [group.get("href") for group in groups] != []
    marks = [(mark, kind.get("class")) for group in groups for kind in group.findall(f"{SVG}g")
             for mark in kind.findall(f"{SVG}path")]  # fmt: skip
    assert len(marks) == len(MANY)
    for point in MANY:
        ((mark, name),) = [m for m in marks if m[0][0].text.startswith(f"{point.name}: ")]
        kind = 1 + "ab".index(point.kind)
        assert name == f"dot colour-{kind}"
        assert mark.get("d").endswith(SHAPES[kind - 1])
    assert len(set(SHAPES)) == len(SHAPES)


def test_points_are_not_joined_and_a_line_is_named():
    lines = [e for e in drawn(scattered()).iter(f"{SVG}path") if "mark" in e.get("class", "")]
    assert not lines
    assert not [e for e in drawn(scattered()).iter(f"{SVG}path") if "line" in e.get("class", "")]
    root = drawn(scattered(rule=Rule("twice", 200)))
    sign, line = [e for e in root.iter(f"{SVG}path") if e.get("class") == "mark"]
    assert "twice" in [text.text for text in root.iter(f"{SVG}text")]
    (ax, ay), (bx, by) = points(line)
    assert sign is not line
    assert ax < bx
    assert ay > by


def test_only_kinds_that_there_are_have_a_name_beside_the_plot():
    kinds = [t.text for t in drawn(scattered()).iter(f"{SVG}text") if "kind" in t.get("class", "")]
    assert kinds == ["a", "b"]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("numbers", [KINDS, ATTENTION], ids=["kinds", "attention"])
def test_names_of_kinds_have_room_in_every_language(numbers, language):
    kinds = {named(kind): number for kind, number in numbers.items()}
    figure = scatter_plot("x", "Points", *LOG, kinds, [
        Point("family", f"model-{i}", kind, 10 + i, 100 + i) for i, kind in enumerate(kinds)
    ])  # fmt: skip
    root = ElementTree.fromstring(opened(language, figure.svg))  # noqa: S314  # our own drawing
    names = [t for t in root.iter(f"{SVG}text") if "kind" in t.get("class", "")]
    spans = [(float(t.get("y")), float(t.get("x")), text_width(t.text, 10.5)) for t in names]
    assert len(spans) == len(kinds)
    assert [x for _, x, wide in spans if x + wide > WIDTH] == []
    beside = [(a, b) for a, b in pairwise(spans) if a[0] == b[0]]
    assert [a for a, b in beside if a[1] + a[2] > b[1] - 12] == []


def test_a_text_has_the_room_of_the_language_in_which_it_is_longest():
    kind = message("plot.kind.grouped_query")
    assert len(kind) < len("consultas agrupadas")
    assert text_width(kind) == text_width("consultas agrupadas")


def test_what_is_reached_by_the_keyboard_is_named_and_no_picture():
    root = drawn(scattered(sorted(MANY, key=lambda p: p.group)))
    assert root.get("role") == "group"
    labels = [group.get("aria-label") for group in root.findall(f"{SVG}a")]
    assert labels == [f"family {i} (12)" for i in range(5)]


def test_every_point_stands_in_the_data():
    assert scattered().head == ("", "kind", "x", "y")
    assert scattered().rows == tuple((p.name, p.kind, str(p.x), str(p.y)) for p in MANY)


def test_names_lie_over_no_point_and_no_other_name():
    spots = [(20.0 + 9 * (i % 12), 30.0 + 17 * (i // 12)) for i in range(48)]
    taken = [around(spot) for spot in spots]
    room = Box(0, 0, 300, 140)
    names = [name for _, name in placed(((s, f"name {i}") for i, s in enumerate(spots)),
                                        room, taken)]  # fmt: skip
    assert 2 <= len(names) < len(spots)
    for i, name in enumerate(names):
        assert name.box.within(room)
        assert not any(name.box.meets(box) for box in taken)
        assert not any(name.box.meets(other.box) for other in names[:i])


def test_a_plot_is_drawn_the_same_every_time():
    assert scattered().svg == scattered().svg


def test_terms_that_are_equal_at_these_sizes_are_one_line():
    figure = next(figures.growth(derive("resnet18"), "flops.forward"))
    drawn = re.findall(r'class="line colour-(\d)" d="([^"]*)"', figure.svg)
    assert len(drawn) > len(set(drawn)) == len({line for _, line in drawn})
