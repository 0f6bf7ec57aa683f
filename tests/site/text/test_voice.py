"""Texts said: the ledger fills in what they ask for, and nothing else can be reached."""

import re

import pytest

from symledger.errors import SymledgerError
from symledger.site.html.amounts import TOGETHER
from symledger.site.pages import Sheet
from symledger.site.text.voice import Voice
from tests.site.whole import ATLAS

SETTINGS = {"B": "32", "d_in": "768", "d_out": "3072"}
TAGS = r"<annotation.*?</annotation>|<[^>]*>"
VOICE = Voice(ATLAS, ATLAS.account("linear", **SETTINGS), SETTINGS)


def said(text):
    sheet = Sheet("components/linear.md", "Table", str)
    return re.sub(
        r'<span data-block="(\d+)"></span>',
        lambda place: re.sub(TAGS, "", sheet.blocks[int(place[1])]),
        str(VOICE.say(sheet, text)),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold** & <plain>", "**bold** & <plain>"),
        ("{{ n('params') }}", "2,362,368"),
        ("{{ n('params', d_out=64, bias=false) }}", "49,152"),
        ("{{ n('params', 'rms_norm', d=5) }}", "5"),
        ("{{ bytes('memory.parameters') }}", "9,449,472~B ≈~9.012~MiB ≈~9.449~MB"),
        ("{{ size('d_out') }} = {{ at('4*d_in') }}", "3,072 = 3,072"),
        ("{{ at('B*d_in', B=1) }}", "768"),
        ("{{ ratio('flops.backward', 'flops.forward') }}", "2"),
        ("{{ link('layer_norm') }}", "[layer norm](layer_norm.md)"),
        ("{{ link('mini_gpt', 'a model') }}", "[a model](../models/mini_gpt.md)"),
    ],
)
def test_a_text_is_filled_in(text, expected):
    assert said(text).replace(TOGETHER, "~") == expected


def test_a_size_of_what_another_choice_leaves_out_is_let_go():
    """If every layer attends, how many do is no size, though the page's example gives it."""
    plain = {"L": "4", "V": "8", "d": "4", "h": "2", "h_kv": "2", "d_h": "2", "d_ff": "8", "K": "3"}
    voice = Voice(ATLAS, ATLAS.account("lfm2", **plain, L_a="1"), {**plain, "L_a": "1"})
    everywhere = ATLAS.account("lfm2", attending="all", **{n: plain[n] for n in plain if n != "K"})
    assert voice.asked("", {"attending": "all"}).params.value == everywhere.params.value


def test_formulas_are_said_as_mathematics():
    product = said("{{ f('params', bias=false) }}")
    assert re.sub(r"[^a-z]", "", product) == "dindout"
    assert "4" in said("{{ m('4*d**2') }}")


@pytest.mark.parametrize(
    "text",
    [
        "{{ f('weights') }}", "{{ nothing('params') }}", "{{ n('params', 'attention') }}",
        "{{ link('lienar') }}", "{{ m('__import__(1)') }}", "{{ at('d_ff') }}",
        "{{ f.__globals__ }}", "{{ f.func.__self__.atlas }}", "{{ n('params', d_in=0) }}",
        "{{ n( }}",
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(text):
    with pytest.raises(SymledgerError):
        said(text)
