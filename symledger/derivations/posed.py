"""A target as it is asked about: its choices made, its program built, its sizes settled."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from sympy import Expr, Integer, Symbol

from symledger.algebra.assumptions import Assumed, check_lengths, settle
from symledger.algebra.parsing import parse_size
from symledger.derivations.query import (
    Request,
    check_frozen,
    check_sizes,
    chosen,
    read_equations,
    read_sizes,
)
from symledger.errors import BadInput, shown
from symledger.ir.tensor import Program
from symledger.ledger import caches, quantised, recipes
from symledger.notation.adapting import Adaptation, adapting, read_adaptation
from symledger.notation.adapting import check as check_adapted
from symledger.notation.autocast import autocast
from symledger.notation.products import Products, multiplying
from symledger.notation.recompute import Plan, planned, read_plan
from symledger.readings.params import is_trained
from symledger.targets.resolve import resolve
from symledger.targets.target import Target, equations_of, symbols_of


class Posed:
    """A target under what was set and assumed: nothing of it is derived yet.

    Raises:
        BadInput: what was asked for contradicts itself, or the target cannot be so.
    """

    def __init__(self, request: Request, found: Target | None = None) -> None:
        self.request = request
        self.conventions = request.conventions
        self._found = found or resolve(request.target)
        recipes.check_choices(request.recipe, self._found.name, self._found.choices)
        self.settings = self._found.settled(request.settings)
        self.target = self._found.with_options(chosen(self._found, self.settings))
        self._adaptation = self._read_adaptation()
        self._products = self._read_products()
        plan = self._plan_at_sizes()
        with planned(plan), adapting(self._adaptation), multiplying(self._products):
            self.program: Program = self._under_autocast(self.target.program())
        if self._adaptation:
            check_adapted(self._adaptation, self.program)
        self._check_cache()
        self.symbols = symbols_of(self.program, self.target.component)
        self.symbols.update({s.name: s for s in (*self._of_cache, *self._usual_of_cache)})
        self.assumed = self._sizes()
        check_frozen(self.conventions.frozen, self.program)

    def plan(self) -> Plan | None:
        """Return what is to be run again, if anything is.

        Raises:
            BadInput: it is asked of a trace.
        """
        plan = read_plan(self.request.recompute)
        if plan and self.target.is_traced:
            raise BadInput(
                f"{shown(self.target.name)} is a trace, which has run again what its module runs "
                "again: plans of recomputation are for definitions."
            )
        return plan

    @property
    def is_segmented(self) -> bool:
        """Whether blocks are run again so many together: how many there are decides the program."""
        plan = self.plan()
        return plan is not None and plan.number > 1

    def _plan_at_sizes(self) -> Plan | None:
        """The plan, with the sizes that are known before anything is built."""
        plan = self.plan()
        if not plan or plan.number == 1:
            return plan
        said = {n: v for n, v in self.settings.items() if n not in self.target.choices}
        known = {**(self.target.configuration or {}), **{n: parse_size(n, v, 0)
                                                         for n, v in said.items()}}  # fmt: skip
        return replace(plan, known=known)

    def _read_adaptation(self) -> Adaptation | None:
        adaptation = read_adaptation(self.request.lora)
        if adaptation and self.target.is_traced:
            raise BadInput(
                f"{shown(self.target.name)} is a trace, which has the weights of its module: "
                "--lora is for definitions. Trace the module with its adapters instead."
            )
        return adaptation

    def _read_products(self) -> Products | None:
        if not self.conventions.products:
            return None
        if self.target.is_traced or self.request.lora:
            raise BadInput(
                "--products is for definitions whose weights are trained: of a trace, products are "
                "those of its module, and in which type those of adapters are is not known."
            )
        if self.conventions.autocast:
            return None
        return Products(self.conventions.products)

    def _under_autocast(self, program: Program) -> Program:
        """The program with the types of autocast, where these are asked for."""
        c = self.conventions
        if not c.autocast:
            return program
        return autocast(
            program, lambda body, weight: is_trained(body, weight, c.frozen), c.input_gradient
        )

    def decoding_in_types(self, step: Program) -> Program:
        """The program of one decoding step with the types of autocast, where these are asked for.

        What enters that asks for no gradient in inference.
        """
        c = self.conventions
        if not c.autocast:
            return step
        return autocast(step, lambda body, weight: is_trained(body, weight, c.frozen), inputs=False)

    @property
    def tiles(self) -> tuple[Expr, ...]:
        """How many tiles there are of each row that is multiplied in fewer bits."""
        return self._products.lengths if self._products else ()

    def _decoding(self) -> Program | None:
        """The program of one decoding step, its maps adapted too."""
        with adapting(self._adaptation):
            step = self.target.decoding()
        if step and self._adaptation:
            check_adapted(self._adaptation, step)
        return step

    def _check_cache(self) -> None:
        cache = self.conventions.cache
        if cache and self.target.is_traced:
            caches.check_run(cache, self.target.name)
        elif cache:
            caches.check(cache, self.program, self.target.name)
            caches.check_types(self.program)

    @property
    def _usual_of_cache(self) -> dict[Symbol, Expr]:
        """The sizes of a cache that may be set, with what they are unless they are."""
        c = self.conventions
        return caches.usual(c.cache, self.program, self.target.is_traced) if c.cache else {}

    @cached_property
    def _of_cache(self) -> dict[Symbol, Expr]:
        """The sizes that a cache is written in, beside those of the program."""
        c = self.conventions
        return caches.defined(c.cache, self.program) if c.cache else {}

    def _sizes(self) -> Assumed:
        tied = (f"{s} = {e}" for s, e in self.target.tied.items())
        given = read_equations((*tied, *self.request.equations), self.symbols)
        values = read_sizes(self.target, self.settings, self.symbols)
        self.target.check_given(self.program, (s.name for s in (*values, *dict(given))))
        sizes = (self.target.configuration or {}).items()
        configuration = {self.symbols[name]: n for name, n in sizes if name in self.symbols}
        stated = {self.symbols[s] for s in self.target.stated if s in self.symbols}
        stated |= self._usual_of_cache.keys()
        with self.target.in_its_words(s.name for s in (*values, *dict(given))):
            usual = {**self._usual, **self._usual_of_cache}
            assumed = settle(usual, configuration, given, values, self.definitions, stated)
            check_sizes(self.program, assumed)
            self._check_weights(assumed)
        self.target.check_taken(self.symbols, assumed.bindings)
        return assumed

    def _check_weights(self, assumed: Assumed) -> None:
        c = self.conventions
        if c.cache:
            at = {s: Integer(n) for s, n in assumed.bindings.items()}
            check_lengths((), caches.bounds(c.cache, self.program, self.target.is_traced), assumed)
            caches.check_groups(c.cache, self.program, at)
        if self._products:
            self._products.check({s: Integer(n) for s, n in assumed.bindings.items()})
        if c.weights:
            at = {s: Integer(n) for s, n in assumed.bindings.items()}
            quantised.check(c.weights, self.program, c.frozen)
            quantised.check_blocks(c.weights, self.program, at)

    @property
    def definitions(self) -> dict[Symbol, Expr]:
        """The sizes that others decide, of the definition and of a layer that rounds lengths."""
        return {**self.program.definitions, **self.target.rounded, **self._of_cache}

    @cached_property
    def _usual(self) -> dict[Symbol, Expr]:
        """The equations that the definition assumes, of those in which everything is known."""
        return equations_of(self.target.component.assumptions, self.symbols, self.program)

    @cached_property
    def defaults(self) -> dict[Symbol, Expr]:
        """The equations that the definition assumes, whatever was said beside them."""
        symbols = symbols_of(self.program, self.target.component)
        return equations_of(self.target.component.assumptions, symbols, self.program)
