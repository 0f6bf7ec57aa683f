// Numbers and formulas in the search, as people type them.
//
// What is typed is rewritten on its way to the theme's worker: a number becomes one word in groups
// of three digits, as pages write it; a formula becomes the words that `symledger/site/mkdocs/
// formulas.py` made of the same formula, where the grammar stands that both read.
"use strict";

(() => {
  const QUERY = 2; // kinds of the theme's messages
  const RESULT = 3;
  const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const MOST_TERMS = 60;
  const MOST_POWER = 8n;
  const TOKEN =
    /\\[dt]?frac|\\cdot|\\times|\*\*|\d+(?:(?:\{,\}|[,\u2009\u202f\u00a0])\d{3}(?!\d))*|[A-Za-z](?:_(?:[a-z0-9]+|\{(?:[^{}]|\{[^{}]*\})*\}))?|\S/gu;
  const LETTERS = "bcdeghklmnpqrstuvwy"; // symbols of one letter: a word with another is no formula
  const TIMES = new Set(["*", "·", "⋅", "×", "\\cdot", "\\times", "/"]);
  // What no word is written with, and what a word may be written with too.
  const CERTAIN = /[\^*·⋅×\\²³⁰-⁹]|\d\s*[A-Za-z]\w*\s+[+−-]\s|_\w+[·*]|\d(?:\s+[A-Za-z](?:_\S+)?(?![\w.])){2}/u;
  const PERHAPS = /\d|_|^[A-Za-z]{2,3}$|\s[+−-]\s/u;
  const NUMBER =
    /(?<![\w.,])(?:\d{1,3}(?:[,\u2009\u202f\u00a0'’_]\d{3})+|\d{1,3}(?:[ .]\d{3}){2,}|\d{4,})(?![.,]?\w)/gu;

  class Unread extends Error {}

  // A polynomial maps monomials, written as JSON of sorted [symbol, power], to [above, below].
  const gcd = (a, b) => (b ? gcd(b, a % b) : a < 0n ? -a : a);
  const ratio = (above, below) => {
    const common = gcd(above, below) * (below < 0n ? -1n : 1n);
    if (!below) throw new Unread();
    return [above / common, below / common];
  };
  const constant = (n) => new Map([["[]", [n, 1n]]]);
  const put = (into, monomial, [above, below]) => {
    const [a, b] = into.get(monomial) ?? [0n, 1n];
    const found = ratio(a * below + above * b, b * below);
    if (found[0]) into.set(monomial, found);
    else into.delete(monomial);
  };
  const times = (a, b) => {
    const found = new Map();
    for (const [m, c] of a)
      for (const [n, e] of b) {
        const powers = new Map(JSON.parse(m));
        for (const [s, k] of JSON.parse(n)) powers.set(s, (powers.get(s) ?? 0) + k);
        const kept = [...powers].filter(([, k]) => k).sort(([s], [t]) => (s < t ? -1 : 1));
        put(found, JSON.stringify(kept), [c[0] * e[0], c[1] * e[1]]);
      }
    if (found.size > MOST_TERMS) throw new Unread();
    return found;
  };
  const inverse = (polynomial) => {
    if (polynomial.size !== 1) throw new Unread();
    const [[m, c]] = polynomial;
    return new Map([[JSON.stringify(JSON.parse(m).map(([s, k]) => [s, -k])), ratio(c[1], c[0])]]);
  };

  class Reader {
    constructor(text) {
      const plain = text
        .replace(/\\(left|right|,|;|!)/g, "")
        .replace(/−/g, "-")
        .replace(/[⁰¹²³⁴-⁹]+/gu, (n) => `^${[...n].map((c) => SUPERSCRIPTS.indexOf(c)).join("")}`);
      this.tokens = plain.match(TOKEN) ?? [];
      this.at = 0;
    }
    get next() {
      return this.tokens[this.at] ?? "";
    }
    take(wanted) {
      if (!this.next || (wanted && this.next !== wanted)) throw new Unread();
      return this.tokens[this.at++];
    }
    all() {
      const found = this.sum();
      if (this.next) throw new Unread();
      return found;
    }
    sum() {
      const found = new Map();
      let sign = this.next === "-" && this.take() ? -1n : 1n;
      for (;;) {
        for (const [m, [a, b]] of this.product()) put(found, m, [sign * a, b]);
        if (this.next !== "+" && this.next !== "-") return found;
        sign = this.take() === "+" ? 1n : -1n;
      }
    }
    product() {
      let found = this.power();
      while (TIMES.has(this.next) || /^[A-Za-z(]|^\\.?frac/.test(this.next)) {
        const operator = TIMES.has(this.next) ? this.take() : "";
        const power = this.power();
        found = times(found, operator === "/" ? inverse(power) : power);
      }
      return found;
    }
    power() {
      const base = this.factor();
      if (this.next !== "^" && this.next !== "**") return base;
      this.take();
      const braced = this.next === "{" && this.take();
      const exponent = this.take();
      if (braced) this.take("}");
      if (!/^\d+$/.test(exponent) || BigInt(exponent) > MOST_POWER) throw new Unread();
      let found = constant(1n);
      for (let n = 0; n < Number(exponent); n++) found = times(found, base);
      return found;
    }
    factor() {
      const token = this.take();
      if (token === "(") return this.enclosed(")");
      if (/^\\.?frac$/.test(token)) {
        this.take("{");
        const above = this.enclosed("}");
        this.take("{");
        return times(above, inverse(this.enclosed("}")));
      }
      if (/^\d/.test(token)) return constant(BigInt(token.replace(/\D/g, "")));
      if (!/^[A-Za-z]/.test(token)) throw new Unread();
      const name = token.replace(/\\[a-z]+(?![A-Za-z}])|\W|_/g, "").toLowerCase();
      if (name.length === 1 && !LETTERS.includes(name)) throw new Unread();
      return new Map([[JSON.stringify([[name, 1]]), [1n, 1n]]]);
    }
    enclosed(end) {
      const found = this.sum();
      this.take(end);
      return found;
    }
  }

  const term = (monomial, [a, b]) => {
    const powers = JSON.parse(monomial);
    const repeated = (sign) =>
      powers.flatMap(([s, k]) => (k * sign > 0 ? Array(k * sign).fill(s) : []));
    const [above, below] = [repeated(1), repeated(-1)];
    const size = a < 0n ? -a : a;
    if (size !== 1n || !above.length) above.unshift(String(size));
    if (b !== 1n) below.unshift(String(b));
    return (a < 0n ? "_" : "") + above.join(".") + (below.length ? "|" : "") + below.join(".");
  };
  const checksum = (text) => {
    let found = 0x811c9dc5;
    for (const letter of new TextEncoder().encode(text))
      found = Math.imul(found ^ letter, 0x01000193) >>> 0;
    return `#${found.toString(16).padStart(8, "0")}`;
  };

  // The words of a formula: its terms, then what names their sum; none of what is no formula.
  const words = (text) => {
    try {
      const found = new Reader(text).all();
      const terms = [...found].map(([m, c]) => term(m, c)).sort();
      if (terms.length < 2 && !/[a-z].*[.|]|[.|].*[a-z]/.test(terms[0])) return [];
      return [...terms.filter((one) => /[.|]/.test(one)), checksum(terms.join("+"))];
    } catch (error) {
      if (error instanceof Unread) return [];
      throw error;
    }
  };

  // The query for the worker, and the words in it that no reader knows.
  const asked = (text) => {
    const ours = new Set();
    const exact = (word, how) => {
      ours.add(word);
      return how === "+" ? `+${word}` : `${word}^${how}`;
    };
    const sum = (found, how) => [
      ...found.slice(0, -1).map((one) => exact(one, how)),
      exact(found.at(-1), 1000), // who writes this very formula comes first
    ];
    const number = (digits) =>
      /^\d{4}$/.test(digits) // it may be a year, or stand so in code
        ? ` ${exact(digits, 1)} ${exact(grouped(digits), 1)} `
        : ` ${exact(grouped(digits), "+")} `;
    const said = [];
    const rest = [];
    const parts = text.includes('"') ? [text] : text.split(/[ \t=≈]+/u).filter(Boolean);
    for (let i = 0; i < parts.length; i++) {
      const [found, end] = longest(parts, i);
      if (found.length) said.push(...sum(found, "+"));
      else rest.push(parts[i]);
      i = end - 1;
    }
    const perhaps =
      !said.length && PERHAPS.test(text) && !/[A-Za-z]-\w/.test(text) ? words(text) : [];
    if (perhaps.length) {
      said.push(...sum(perhaps, 9));
      for (const word of text.toLowerCase().split(/\s+/u)) ours.add(word);
    }
    return [[rest.join(" ").replace(NUMBER, number), ...said].join(" "), ours];
  };

  // The longest formula that begins with a part, and where it ends.
  const longest = (parts, start) => {
    for (let end = parts.length; end > start; end--) {
      const run = parts.slice(start, end).join(" ");
      const found = CERTAIN.test(run) ? words(run) : [];
      if (found.length) return [found, end];
    }
    return [[], start + 1];
  };

  const grouped = (number) =>
    number.replace(/\D/g, "").replace(/^0+(?=\d)/, "").replace(/\B(?=(\d{3})+$)/g, ",");

  // The letters and digits of a text alone, whoever typed them: with accents or without.
  const bare = (text) =>
    text.replace(/<[^>]*>/g, "").normalize("NFD").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();

  // Pages called what was asked for come first. A word of ours is not told to be missing, and no
  // formula is looked for on the page found.
  const told = ({ type, data }, ours, called) => {
    if (type !== RESULT || !data || !Array.isArray(data.items?.[0])) return;
    if (called) {
      const other = ([{ title }]) => bare(title) !== called;
      data.items.sort((a, b) => other(a) - other(b));
    }
    for (const { terms } of data.items.flat())
      for (const [word, there] of Object.entries(terms))
        if (ours.has(word) && (!there || !/^\d/.test(word) || /[.|]/.test(word))) delete terms[word];
  };

  window.Worker = class extends window.Worker {
    constructor(...given) {
      super(...given);
      this.ours = new Set();
      this.called = "";
      this.addEventListener("message", ({ data }) => told(data, this.ours, this.called));
    }
    postMessage(message, ...rest) {
      if (message?.type === QUERY && typeof message.data === "string") {
        const [data, ours] = asked(message.data);
        this.ours = ours;
        this.called = bare(message.data);
        return super.postMessage({ ...message, data }, ...rest);
      }
      if (message?.type === QUERY && typeof message.data?.input === "string") // Zensical
        message.data = { ...message.data, input: message.data.input.replace(NUMBER, grouped) };
      return super.postMessage(message, ...rest);
    }
  };
})();
