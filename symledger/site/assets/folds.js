// Open or close everything that is folded on the page; and what a link points into, in any language.
"use strict";

(() => {
  const folds = () => document.querySelectorAll("article details");

  for (const bar of document.querySelectorAll(".openers")) {
    bar.hidden = folds().length < 2;
    bar.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) for (const fold of folds()) fold.open = button.dataset.open === "true";
    });
  }

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    target?.scrollIntoView();
  }

  addEventListener("hashchange", reveal);
  if (location.hash && document.getElementById(location.hash.slice(1))?.closest("details")) reveal();

  // Sections are called alike in all languages: another one is shown where this one is read.
  for (const link of document.querySelectorAll(".md-select__link[hreflang]"))
    link.addEventListener("click", () => (link.hash = location.hash));

  // A box that has nothing to scroll and no symbols to walk through takes no stop of the Tab key.
  const needsFocus = (box) =>
    box.scrollWidth > box.clientWidth || (box.matches(".scroll") && box.querySelector("[data-sym]"));
  const watch = new ResizeObserver((seen) => {
    for (const { target } of seen) target.tabIndex = needsFocus(target) ? 0 : -1;
  });
  for (const box of document.querySelectorAll(".scroll, .form, td .given")) watch.observe(box);
})();
