// Pointing at a symbol lights every place where it stands, and the row that says what it means.
//
// What carries `data-sym` (a size) or `data-tensor` (a value), in a formula or on a table's row, is
// such a place. Pointing lights while it lasts; a tap or a click keeps the light on; with a formula
// or a table in focus the arrow keys walk through its symbols. Escape puts the light out. Where the
// row that gives the meaning is out of sight, a line at the foot of the window repeats it.
"use strict";

(() => {
  const PLACES = "[data-sym], [data-tensor]";
  const BOXES = ".formula, .scroll";
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const article = document.querySelector("article");
  if (!article?.querySelector(PLACES)) return;

  const legend = document.createElement("p");
  legend.className = "legend";
  legend.setAttribute("role", "status");
  document.body.append(legend);

  let kept = null; // the symbol that stays lit when the pointer leaves
  const walked = new WeakMap(); // where the arrow keys have come to in each box

  const nameOf = (place) => place.dataset.sym ?? place.dataset.tensor;
  const placesIn = (box) => [...box.querySelectorAll(PLACES)].filter((p) => p.checkVisibility());
  const placeAt = (event) => event.target.closest?.(PLACES);

  function light(name) {
    for (const place of article.querySelectorAll(PLACES))
      place.classList.toggle("lit", name !== null && nameOf(place) === name);
    legend.textContent = name === null ? "" : meaning(name);
  }

  // The words of the row that explains a symbol; empty where that row is in sight anyway.
  function meaning(name) {
    const rows = [...article.querySelectorAll("tr[data-sym], tr[data-tensor]")];
    const row = rows.find((r) => nameOf(r) === name);
    if (!row) return "";
    const { top, bottom } = row.getBoundingClientRect();
    if (row.checkVisibility() && top >= 60 && bottom <= innerHeight) return "";
    return [name, ...[...row.cells].slice(1).map((cell) => cell.innerText.trim())].join(" · ");
  }

  function keep(name) {
    kept = name;
    light(name);
  }

  article.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const place = placeAt(event);
    light(place ? nameOf(place) : kept);
  });
  article.addEventListener("pointerleave", () => light(kept));

  article.addEventListener("click", (event) => {
    const place = placeAt(event);
    if (!place || event.target.closest("a, button, summary")) return;
    keep(nameOf(place) === kept ? null : nameOf(place));
  });

  article.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step || !event.target.matches(BOXES)) return;
    const places = placesIn(event.target);
    const from = places.indexOf(walked.get(event.target));
    const next = from < 0 && step < 0 ? undefined : places[from + step];
    if (!next) return; // at either end the key scrolls, as it does everywhere
    event.preventDefault();
    walked.set(event.target, next);
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    keep(nameOf(next));
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") keep(null);
  });
})();
