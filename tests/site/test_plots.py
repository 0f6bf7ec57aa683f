"""Plots: every datum is drawn where it belongs, and stands beside the drawing."""

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from symledger.site.plots import Axis, Part, Series, line_plot, stacked_bar
from symledger.site.plots.axes import scale, written
from symledger.site.plots.figure import WIDTH, number, spread

SVG = "{http://www.w3.org/2000/svg}"
PARTS = [Part("embedding", 1, 1), Part("blocks < all", 3, 2), Part("norm", Fraction(0), 3)]


def drawn(figure):
    return ElementTree.fromstring(figure.svg)  # noqa: S314  # our own drawing


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
    assert len(drawn(figure).findall(f"{SVG}circle")) == 4
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
