"""The canonical form of a formula, as one line of text that no version of SymPy can change.

It is an S-expression of what a citation claims: the unit, the general form over all sizes (of a
peak those of which it is the largest), what it is divided by, the definitions of sizes that others
decide, which routing decides how many experts are touched, and the equations that are assumed by
default. Polynomials are multiplied out and their
terms sorted as text. Neither the assumptions of a symbol, nor the order of arguments, nor how SymPy
prints have a part in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from sympy import Expr

from symledger.algebra.s_expressions import expression, polynomial
from symledger.derivations.derivation import Derivation
from symledger.ledger.peaks import Peak
from symledger.ledger.quantities import TOUCHED
from symledger.tags.registry import registered_as


def canonical_form(derivation: Derivation, quantity: str) -> str:
    """Return the canonical form of a quantity of a target, under the account's conventions."""
    formula = derivation[quantity]
    if isinstance(formula, Peak):
        forms = [m.general for m in formula.moments]
        parts = [formula.unit, f"(max {' '.join(sorted(set(map(polynomial, forms))))})"]
        if formula.depths:
            often = sorted(f"({depth.canonical})" for depth in formula.depths)
            parts.append(f"(repeated {' '.join(often)})")
    else:
        forms = [formula.general, *([formula.divisor.general] if formula.divisor else [])]
        parts = [formula.unit, *map(polynomial, forms)]
    if quantity in TOUCHED:
        parts.append(f"(routing {quantity.rpartition('.')[2]})")
    symbols = {s.name for form in forms for monomial in form for s, _ in monomial}
    definitions = {s.name: e for s, e in derivation.program.definitions.items()}
    defaults = {s.name: e for s, e in derivation.defaults.items()}
    for name, stated in (("where", definitions), ("with", defaults)):
        equations = _reached(stated, symbols)
        if equations:
            parts.append(f"({name} {' '.join(f'({s} {e})' for s, e in sorted(equations.items()))})")
    return f"(formula {' '.join(parts)})"


def fingerprint(form: str) -> str:
    """Return the fingerprint of a canonical form: the first 16 digits of its SHA-256."""
    return sha256(form.encode()).hexdigest()[:16]


def tag_of(derivation: Derivation, quantity: str) -> str | None:
    """Return the tag of a quantity of a target; None where it is not the formula that has one.

    Under other choices or conventions an id has another form, which a citation would not be about.
    """
    tagged = registered_as(derivation[quantity].id)
    if derivation.target.origin or tagged is None or tagged.removed:
        return None
    found = fingerprint(canonical_form(derivation, quantity))
    return tagged.tag if found == tagged.hash else None


def _reached(stated: Mapping[str, Expr], symbols: set[str]) -> dict[str, str]:
    """Return those equations that the symbols lead to, and add to the symbols what these hold."""
    found: dict[str, str] = {}
    while new := sorted((symbols & set(stated)) - set(found)):
        for name in new:
            found[name] = expression(stated[name])
            symbols |= {s.name for s in stated[name].free_symbols}
    return found
