"""Every symbol and option of a definition shows in some formula."""

import importlib
import inspect
import pkgutil
from dataclasses import MISSING, fields
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from sympy import Integer

import symledger
import symledger.components
import symledger.models
from symledger import sizes
from symledger.algebra import terms
from symledger.algebra.parsing import parse_expression
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.options import choices_of, tried_of
from symledger.errors import DefinitionError
from symledger.models.mistral_large4.model import MistralLarge4
from symledger.models.shared.windowed_sparse import WindowedSparseDecoder
from symledger.notation.calling import program_of
from symledger.notation.component import Component
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import active_params, params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.traffic import state, traffic
from symledger.sizes import BY_NAME, E, E_s, L_ad, L_d, L_w, Size, T_max, V_seg, Y, d_exp, d_out, k

BYTES = {"value": Integer(2), "statistic": Integer(4), "mask": Integer(1), "index": Integer(8)}


def defined(package):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.ispkg or found.name.endswith(".config"):
            continue
        module = importlib.import_module(found.name)
        for _, cls in inspect.getmembers(module, inspect.isclass):
            own_forward = issubclass(cls, Component) and cls.forward is not Component.forward
            given = [f.name for f in fields(cls) if f.default is MISSING] if own_forward else []
            if own_forward and cls.title and cls.__module__ == found.name and not given:
                yield cls


ASKED = {entry.definition.partition(":")[2] for entry in ENTRIES}
"""What can be asked about by name; the parts that families have for themselves are in them."""
DEFINED = [
    *defined(symledger.components),
    *(cls for cls in defined(symledger.models) if cls.__name__ in ASKED),
]
EACH = pytest.mark.parametrize("cls", [
    pytest.param(cls, marks=pytest.mark.xdist_group(cls.__qualname__)) for cls in DEFINED
])  # fmt: skip
"""Both tests of a class read the same variants: one worker runs them."""


def traced(component):
    """Record a component on the inputs that the catalogue has for it."""
    name = type(component).__name__
    asked = (e for e in ENTRIES if e.inputs and e.definition.endswith(f":{name}"))
    entry = next((e for e in asked if "cached" not in e.name), None)
    if entry is None:
        return program_of(component)
    lengths = {axis: parse_expression(text, BY_NAME) for axis, text in entry.lengths.items()}
    return program_of(component, entry.inputs, lengths)


@cache
def read(component):
    """Record a component; refused by name counts as a formula, so that is None."""
    try:
        return traced(component)
    except DefinitionError:
        return None


@cache
def read_back(component):
    """Pull a recorded component back; the same."""
    try:
        return pullback(read(component))
    except DefinitionError:
        return None


@cache
def formula(component, name):
    """One count of a component; None where its pull-back is refused."""
    if name in FORWARD:
        return terms(FORWARD[name](read(component)).total)
    back = read_back(component)
    return back and terms(BACKWARD[name](back).total)


FORWARD = {
    "params": params,
    "active": active_params,
    "forward": contraction_flops,
    "exact": lambda program: contraction_flops(program, "exact"),
    "pointwise": pointwise_flops,
    "traffic": lambda program: traffic(program, BYTES),
    "state": lambda program: state(program, BYTES),
}
BACKWARD = {
    "backward": contraction_flops,
    "pointwise back": pointwise_flops,
    "saved": lambda back: saved(back, BYTES),
}
COUNTS = (*FORWARD, *BACKWARD)
"""A pull-back takes as long as a record, and is asked for where nothing else tells."""


def choices(cls):
    """(option, value) for every value that is tried of every option, but its default."""
    tried = tried_of(cls)
    for option in fields(cls):
        for value in tried.get(option.name, ()):
            if value != option.default:
                yield option.name, value


def variants(cls):
    """A component as it is, with each choice made otherwise, then with two of them."""
    yield cls()
    for option, value in choices(cls):
        yield cls(**{option: value})
    for one, other in combinations(choices(cls), 2):  # some symbols stand where two are made
        if one[0] != other[0]:
            yield cls(**dict((one, other)))
    if issubclass(cls, WindowedSparseDecoder):  # and one where three are
        yield cls(dense_layers=True, windows="some", sparse_windows="none")
    if issubclass(cls, MistralLarge4):
        yield cls(dense_layers=True, sparse_untold="none")
    if "some" in untried(cls, "windows"):
        yield from (cls(windows="some", cached=cached) for cached in (False, True))
    for option in choices_of(cls):  # what is seldom chosen comes last: few symbols wait for it
        yield from (cls(**{option: value}) for value in sorted(untried(cls, option), key=str))


def untried(cls, option):
    """The values of an option that are seldom made."""
    return set(choices_of(cls).get(option, ())) - set(tried_of(cls).get(option, ()))


@EACH
def test_every_declared_symbol_stands_in_some_formula(cls):
    left = {f.default for f in fields(cls) if isinstance(f.default, Size)}
    left -= INHERITED.get(cls.__name__, set())
    for variant in variants(cls):
        for e in standing(variant, left):
            left -= e
            if not left:
                return
    if left:
        unused = ", ".join(sorted(map(str, left)))
        pytest.fail(f"{file_of(cls)}: no formula of {cls.__name__} has {unused}. Use it in "
                    "forward, leave it out, or name it in INHERITED of "
                    "tests/components/test_options.py if it is inherited.",
                    pytrace=False)  # fmt: skip


def file_of(cls):
    """Where a component is written, from the root."""
    return Path(inspect.getfile(cls)).relative_to(Path(symledger.__file__).parents[1])


def standing(variant, asked):
    """Yield the symbols in how others decide sizes, then in counts, where one is in the program."""
    program = read(variant)
    if program:
        yield from (e.free_symbols for e in program.definitions.values())
        counts = COUNTS if asked & set(program.symbols) else ()
        yield from ({s for m in formula(variant, name) or () for s, _ in m} for name in counts)


WINDOW = {sizes.L_w, sizes.S_w, sizes.w, sizes.w_max}
INHERITED = {
    "DinoV2": {d_out}, "DistilBert": {V_seg}, "MPNet": {V_seg}, "ModernBert": {V_seg, T_max},
    "EuroBert": {V_seg, T_max}, "SwinV2": {sizes.M},
    "DinoV2Registers": {d_out}, "DinoV3": {d_out, Y}, "IJepa": {d_out}, "PlacesConvNeXt": {Y},
    "DeepSeekVL": {Y}, "LightOnOcr": {Y}, "Moshi": {L_w, Y}, "Esm": {V_seg},
    "BertGeneration": {V_seg, Y}, "M2M100": {T_max},
    "Whisper": {Y}, "Voxtral": {Y}, "Qwen2Audio": {Y, *WINDOW}, "AudioFlamingo3": {Y, *WINDOW},
    "MusicFlamingo": {Y, *WINDOW}, "Qwen3Asr": {Y, *WINDOW}, "FunAsr": {Y, sizes.C, *WINDOW},
    "GraniteSpeech": {Y, sizes.C, sizes.L_rd}, "Phi4Multimodal": {Y, sizes.d_rot},
    "Qwen3Omni": {Y, *WINDOW} - {sizes.w, sizes.w_max}, "DelayedMistral": {Y},
    "VoxtralRealtime": {Y, sizes.S_w},
    "ShiftedGridAttention": {sizes.H_w, sizes.W_w},
    **{name: {sizes.r_i[3]} for name in ("Pvt", "PvtV2", "Segformer")},
    "Gemma3n": {sizes.L_sw, sizes.L_z, sizes.L_zw},
    "EmbeddingGemma2": {
        E, Y, d_exp, k, sizes.S, sizes.L_s, sizes.L_sw, sizes.S_w, sizes.V_ple,
    },
    "SmolLM3": {L_w}, "MiniCPM3": {E, E_s, L_d, d_exp, k},
    "Lfm2Moe": {L_ad}, "Jamba": {L_ad}, "Qwen3Next": {L_ad}, "MiniMaxM3": {L_ad},
    "KimiDeltaRule": {sizes.h_q}, "KimiLinear": {L_ad, sizes.h_kv, sizes.d_q},
    "DeepSeekV4": {sizes.S}, "HashRoutedMixture": {sizes.V}, "NearAndFar": {sizes.d_v},
    "DeepSeekV32": {sizes.L_xd}, "AXK2": {sizes.L_x, sizes.L_xd}, "HYV4": {sizes.L_xd},
    "Qwen4": {L_ad, L_d, sizes.d_ff}, "GLM5Next": {L_ad, sizes.h_kv},
    "LlavaNext": {Y, sizes.T_vis}, "LlavaOneVision": {Y, sizes.T_vis},
    "VideoLlama3": {Y, T_max}, "Aria": {Y, L_w, sizes.S_w, sizes.d_rot},
    "Fuyu": {Y, sizes.d_img, sizes.L_img, sizes.h_img, sizes.f_img},
    "SharingVision": {T_max, sizes.L_r},
    **{name: {L_ad, L_d, sizes.d_ff} for name in ("Qwen35MoeVL", "Qwen4VL")},
    "MiniMaxM3VL": {L_ad},
    "Qwen3VL": {Y, *WINDOW}, "Qwen3VLMoe": {Y, *WINDOW} - {sizes.w, sizes.w_max},
    **{name: {Y} for name in (
        "CohereVision", "Gemma3Vision", "Glm4V", "Glm4VMoe", "GlmAsr", "HyperClovaXVision",
        "Idefics3", "InternVL", "KimiSeeing", "Llama4Seeing", "Llava", "Mistral3",
        "ModernBertDecoder", "PaddleOcr", "PaliGemma", "Qwen2VL", "Qwen25Omni", "Qwen25VL",
        "VipLlava", "CohereCompass", "HunyuanVL", "Idefics2", "Ovis2", "Blip2", "Kosmos2",
        "Kosmos2Text", "Exaone45", "VideoLlava", "InstructBlip", "InstructBlipLlama", "Mllama",
        "MllamaText", "GotOcr2",
    )},
}  # fmt: skip
"""Sizes that a family has from what it is made after, and no use for: segments, classes, windows …;
or that say of which kind layers are, in no sum over all of them; or that stand where a choice is
made that is seldom made.
"""


@EACH
def test_every_option_changes_some_formula_or_is_refused(cls):
    for option, value in choices(cls):
        if not differs(cls(**{option: value}), cls()):
            pytest.fail(f"{file_of(cls)}: {option} = {value!r} of {cls.__name__} changes no "
                        "formula. Use it in forward, or leave the field out.", pytrace=False)


def differs(variant, plain):
    """Whether a formula, or how others decide a size in it, is another one."""
    if read(variant) is None or read(plain) is None:
        return read(variant) is not read(plain)
    return read(variant).definitions != read(plain).definitions or any(
        formula(variant, name) != formula(plain, name) for name in COUNTS
    )


def test_the_walk_sees_definitions_and_their_options():
    names = {cls.__name__ for cls in DEFINED}
    assert {"Linear", "Attention", "PreLNBlock", "MiniGPT"} <= names
    options = [(cls.__name__, *choice) for cls in DEFINED for choice in choices(cls)]
    assert ("MiniGPT", "positions", "learned") in options
    assert all(isinstance(cls(), Component) for cls in DEFINED)
    linear = next(cls for cls in DEFINED if cls.__name__ == "Linear")
    assert all(formula(linear(), name) for name in COUNTS if name != "state")
