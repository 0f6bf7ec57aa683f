// Calculators: numbers for the symbols of formulas, and what comes out, exact to the unit.
//
// The generator writes the boxes, the formulas as data, and what they take for whole numbers; here
// the data is evaluated with BigInt, which never rounds. The address keeps the numbers, so that a
// calculation can be linked: #calculator?d=768&L=12.
"use strict";

(() => {
  const FRAGMENT = "#calculator?";

  // A polynomial is a list of terms: a coefficient as text, and the exponent of each symbol.
  const evaluate = (polynomial, at) =>
    polynomial.reduce((sum, [coefficient, powers]) => {
      const factors = Object.entries(powers).map(([name, n]) => at[name] ** BigInt(n));
      return sum + factors.reduce((product, factor) => product * factor, BigInt(coefficient));
    }, 0n);

  // The value of a fraction of two polynomials; null where it is not a whole number.
  function quotient({ above, below }, at) {
    const divisor = evaluate(below, at);
    const value = evaluate(above, at);
    return divisor === 0n || value % divisor !== 0n ? null : value / divisor;
  }

  const needs = ({ above, below }) =>
    [...above, ...below].flatMap(([, powers]) => Object.keys(powers));

  // A formula is a fraction, or the largest of several: of what is in memory at several moments.
  const moments = (formula) => formula.largest ?? [formula];
  function largest(formula, at) {
    const values = moments(formula).map((moment) => quotient(moment, at));
    return values.includes(null) ? null : values.reduce((a, b) => (a > b ? a : b));
  }

  // Digits in groups, as the language of the page writes them: see symledger/languages/language.py.
  const BETWEEN = document.documentElement.lang === "en" ? "," : "\u202f";
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, BETWEEN);

  // The whole number in a box; undefined while it is empty, null where it is none.
  function sizeIn(box) {
    const text = box.value.replace(/[\s,_]/g, "");
    if (text === "") return undefined;
    if (!/^\d{1,19}$/.test(text)) return null;
    return BigInt(text) < BigInt(box.dataset.least) ? null : BigInt(text);
  }

  function show(form, boxes, words) {
    const at = {};
    const refusals = [];
    for (const box of boxes) {
      const size = sizeIn(box);
      box.setAttribute("aria-invalid", String(size === null));
      if (size === null) refusals.push(words.size.replace("{}", `${box.name} ≥ ${box.dataset.least}`));
      else if (size !== undefined) at[box.name] = size;
    }
    const known = (formula) =>
      moments(formula).every((moment) => needs(moment).every((name) => name in at));
    // What a formula is derived for: so many layers at least.
    const failing = ({ holds = [] }) =>
      holds.find((one) => known(one) && (quotient(one, at) ?? 0n) < BigInt(one.least));
    for (const condition of JSON.parse(form.dataset.conditions)) {
      if (!known(condition)) continue;
      const value = quotient(condition, at);
      if (value === null || value < BigInt(condition.least))
        refusals.push(words.whole.replace("{}", condition.says));
    }
    for (const output of form.querySelectorAll("output")) {
      const formula = JSON.parse(output.dataset.formula);
      const without = failing(formula);
      const open = refusals.length || !known(formula) || without;
      const value = open ? undefined : largest(formula, at);
      if (without && !refusals.length) refusals.push(words.size.replace("{}", without.says));
      if (value === null) refusals.push(words.whole.replace("{}", output.dataset.name));
      output.value = value === undefined || value === null ? "–" : grouped(value);
    }
    form.querySelector("[role=alert]").textContent = refusals.join(" ");
  }

  function start(form) {
    const boxes = [...form.querySelectorAll("input")];
    const words = { size: form.dataset.size, whole: form.dataset.whole };
    function read() {
      if (!location.hash.startsWith(FRAGMENT)) return;
      const given = new URLSearchParams(location.hash.slice(FRAGMENT.length));
      for (const box of boxes) if (given.has(box.name)) box.value = given.get(box.name);
      form.scrollIntoView({ block: "center" });
      show(form, boxes, words);
    }
    form.querySelector("fieldset").disabled = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      show(form, boxes, words);
      const filled = boxes.filter((box) => box.value).map((box) => [box.name, box.value]);
      history.replaceState(history.state, "", FRAGMENT + new URLSearchParams(filled));
    });
    addEventListener("hashchange", read);
    show(form, boxes, words);
    read();
  }

  for (const form of document.querySelectorAll("form.calculator")) start(form);
})();
