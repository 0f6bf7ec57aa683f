import itertools

import pytest

from symledger import derive, sizes
from symledger.checks.exact import value
from symledger.checks.sampling import _shared, sizes_for
from symledger.components.convolution.convolution import Conv3d
from symledger.components.embeddings.positions import LearnedPositions
from symledger.errors import DefinitionError
from symledger.models.granite_speech.model import GraniteSpeech
from symledger.models.llama.model import Llama
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.sizes import T, T_max, d_h, d_k, h, h_kv
from tests.checks.bench import RIGHT, WrongPairs


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("attempt", range(4))
@pytest.mark.parametrize("name", RIGHT)
def test_every_length_is_a_positive_whole_number(name, attempt, distinct):
    program = program_of(RIGHT[name])
    found = sizes_for(program, attempt, distinct=distinct)
    assert found == sizes_for(program, attempt, distinct=distinct)
    lengths = [value(length, found) for length in program.lengths]
    assert all(n.denominator == 1 and n >= 2 for n in lengths)
    assert all(value(a, found) <= value(b, found) for a, b in program.bounds)


@pytest.mark.parametrize("name", RIGHT)
def test_attempts_differ(name):
    program = program_of(RIGHT[name])
    points = [
        tuple(sorted((str(k), n) for k, n in sizes_for(program, i).items())) for i in range(3)
    ]
    assert len(set(points)) == 3


def test_distinct_sizes_are_distinct_but_for_repetitions():
    program = program_of(Llama())
    for attempt in range(3):
        found = sizes_for(program, attempt)
        assert found.pop(sizes.L) in (2, 3)
        assert len(set(found.values())) == len(found)


def test_where_primes_make_too_much_work_sizes_are_small_and_apart():
    program = program_of(Conv3d())
    lengths = {s for length in program.lengths for s in length.free_symbols}
    lengths -= program.definitions.keys()
    for attempt in range(3):
        found = sizes_for(program, attempt)
        assert len({found[s] for s in lengths}) == len(lengths)
        assert value(contraction_flops(program).total, found) < 5_000_000


def test_of_windows_that_text_has_to_hold_the_text_is_made_longer():
    """Wider windows would be fewer, so that a sound would be made longer, so that windows would."""
    program = program_of(GraniteSpeech())
    found = sizes_for(program, distinct=False)
    assert found[sizes.n_win] >= 2
    assert found[sizes.T_f] < 100
    assert value(contraction_flops(program).total, found) < 5_000_000


def test_ties_are_mended():
    found = sizes_for(program_of(Llama()), 1)
    assert found[h] % found[h_kv] == 0
    assert found[h] > found[h_kv]
    assert found[d_h] % 2 == 0
    assert sizes_for(program_of(RIGHT["attention"]))[d_k] % 2 == 0
    positions = sizes_for(program_of(LearnedPositions()), 2)
    assert positions[T] <= positions[T_max]
    pairs = sizes_for(program_of(WrongPairs()), 1)
    assert pairs[T] <= pairs[sizes.S]


def test_further_quantities_are_respected():
    found = sizes_for(program_of(RIGHT["linear"]), 0, [sizes.d_in / 7, sizes.V - 20])
    assert found[sizes.d_in] % 7 == 0
    assert found[sizes.V] > 20


def test_impossible_lengths_are_refused():
    impossible = [sizes.d_in / 2, (sizes.d_in + 1) / 2]
    with pytest.raises(DefinitionError, match="no small sizes were found"):
        sizes_for(program_of(RIGHT["linear"]), 0, impossible)


def test_shared_sizes_tell_any_two_symbols_apart():
    codes = [tuple(_shared(i, attempt) for attempt in range(3)) for i in range(27)]
    assert len(set(codes)) == 27
    assert all(len(set(code)) > 1 for code in itertools.islice(codes, 18))


WINDOWS = [f"{kind}_pool{axes}d" for kind in ("max", "avg") for axes in (1, 2, 3)]


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows_of_which_the_last_may_reach_beyond_have_small_sizes(name, distinct):
    program = derive(name, {"ceil": True}).program
    for attempt in range(3):
        found = sizes_for(program, attempt, distinct=distinct)
        assert all(value(length, found) >= 2 for length in program.lengths)
