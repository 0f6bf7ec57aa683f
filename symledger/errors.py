"""Everything symledger can refuse, and how it says so.

    SymledgerError                 exit code 2 unless a class says otherwise
    ├── UnknownTarget              3  no such target or formula
    ├── BadInput                   a value, option, assumption or file that cannot be used
    │   ├── Contradiction          two assumptions that cannot both hold
    │   └── NotKnown               a quantity of a function that is not known
    ├── DefinitionError            a component that is not well formed
    │   ├── PatternError           notation that cannot be read
    │   └── ShapeError             a tensor that does not fit a declared pattern
    ├── UnverifiedStep             an equals sign that could not be proven
    └── CheckFailed                1  evidence that contradicts a formula

Every message says what was asked, what was found, why that is wrong, and what to try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class SymledgerError(Exception):
    """Anything that symledger refuses, with the exit code that the command line returns."""

    exit_code = 2

    @property
    def kind(self) -> str:
        """What it is called: as the class here that it is one of, or as its own."""
        kinds = [c for c in type(self).__mro__ if c.__module__ == __name__]
        known = kinds[0] is not SymledgerError
        return (kinds[0] if known else type(self)).__name__


class UnknownTarget(SymledgerError):
    """A target or formula that the catalogue does not have."""

    exit_code = 3


class BadInput(SymledgerError):
    """A value, option, assumption or file that cannot be used."""


class Contradiction(BadInput):
    """Two assumptions that cannot both hold."""


class NotKnown(BadInput):
    """A quantity that depends on what a ``function`` does of which only the name is known."""

    def __init__(self, message: str, function: str = "") -> None:
        super().__init__(message)
        self.function = function


class DefinitionError(SymledgerError):
    """A component that is not well formed."""


class PatternError(DefinitionError):
    """Notation that cannot be read."""


class ShapeError(DefinitionError):
    """A tensor that does not fit the pattern it was given to."""


class UnverifiedStep(SymledgerError):
    """An equals sign between two expressions that are not identically equal."""


class CheckFailed(SymledgerError):
    """Evidence that contradicts a formula."""

    exit_code = 1


@contextmanager
def renamed(names: Mapping[str, str]) -> Iterator[None]:
    """Let what is refused call some symbols by other names: ``d`` by ``hidden_size``.

    Raises:
        SymledgerError: what was refused inside, in these words.
    """
    try:
        yield
    except SymledgerError as error:
        said = re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), str(error))
        raise type(error)(said) from error


def raised(error: BaseException, file: Path) -> str:
    """Say what a Python file raised, and in which of its lines."""
    line, message = _line(error, file), _message(error)
    return (
        f"raised {shown(type(error).__name__)}" + (f" at line {line}" if line else "")
        + (f": {message.rstrip('.')}" if message else "") + "."
    )  # fmt: skip


def _line(error: BaseException | None, file: Path) -> int | None:
    """Return the line of a file that something, or else what led to it, was raised in."""
    from traceback import extract_tb  # only a refusal needs it

    while error:
        places = [(frame.filename, frame.lineno) for frame in extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            places.append((str(error.filename), error.lineno))
        own = [line for name, line in places if Path(name).resolve() == file.resolve()]
        if own:
            return own[-1]
        error = error.__cause__ or error.__context__
    return None


def _message(error: BaseException) -> str:
    """Return the first line of what an error says of itself, if it can, and what that announces."""
    try:
        first, *rest = str(error).splitlines() or [""]
        return (f"{first} {rest[0].strip()}" if rest and first.endswith(":") else first)[:200]
    except BaseException:  # whoever wrote it may raise anything here as well
        return ""


LONGEST, TAIL = 80, 29
"""How many characters of what was given are shown, and how many of these are its last ones."""


def shown(text: str) -> str:
    r"""Show what was given: on one line, what cannot be seen escaped, and not at length.

    >>> print(shown("a\tb  c\x1b\udcff"), shown(""), len(shown("9" * 7000)))
    a b c\x1b\xff nothing 80
    """
    line = escaped(" ".join(text.split()))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - TAIL - 1]}…{line[-TAIL:]}"
    return line or ("a blank" if text else "nothing")


def escaped(text: str) -> str:
    r"""Write what cannot be seen as Python does: ``\x1b``; a byte that is no text as ``\xff``."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python holds a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def quoted(text: str) -> str:
    """Quote what was given, shown on one line; that nothing was given is said without quotes.

    >>> print(quoted("d = 4 * d"), quoted(" "))
    "d = 4 * d" a blank
    """
    return f'"{shown(text).strip(chr(34))}"' if text.strip() else shown(text)


MOST = 3
"""How many names that go on from what was said are named."""


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def bare(name: str) -> str:
    """Return a name's letters and digits, all small."""
    return "".join(c for c in name.lower() if c.isalnum())


def nearest(
    name: str, known: Iterable[str], called: Callable[[str], Iterable[str]] = lambda name: ()
) -> str:
    """Return a sentence that names the nearest known names, or lists a few of them.

    Names that go on from what was said, whatever its case and punctuation, are nearest; then what
    is ``called`` so otherwise.

    >>> nearest("mini_gtp", ["mini_gpt", "linear"])
    'Did you mean mini_gpt?'
    >>> nearest("GPT-3", ["gpt3-13b", "gpt3-6.7b", "gpt2", "gpt"])
    'Did you mean gpt3-13b or gpt3-6.7b?'
    """
    from difflib import get_close_matches  # only a refusal needs it

    names = sorted(set(known))
    said = bare(name)  # once: it may be as long as a file
    begun = [known_name for known_name in names if bare(known_name).startswith(said)]
    begun.sort(key=lambda known_name: (bare(known_name) != said, len(known_name)))
    if begun and len(said) > 1:
        alike = [known_name for known_name in begun if bare(known_name) == said]
        return f"Did you mean {_either(alike or begun[:MOST])}?"
    if otherwise := list(called(name)):
        return f"Did you mean {_either(otherwise)}?"
    folded = {known_name.lower(): known_name for known_name in names}
    near = [word for word in folded if len(name) <= 3 * len(word)]  # half alike at the most
    close = get_close_matches(name.lower(), near, n=2, cutoff=0.5) if near else []
    if close:
        return f"Did you mean {_either([folded[match] for match in close])}?"
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"Known: {shown}." if names else "There is nothing to choose from."
