// Copying formulas: buttons for TeX, SymPy, Python and the link; a copied selection holds TeX.
//
// The page's generator writes the buttons and what they copy, hidden; here they are shown. In a
// selection each formula is replaced by its annotation: $…$ in a line, \[…\] by itself.
"use strict";

(() => {
  const TEX = 'annotation[encoding="application/x-tex"]';

  const texOf = (math) => math.querySelector(TEX)?.textContent ?? math.textContent;
  const delimited = (math) =>
    math.getAttribute("display") === "block" ? `\\[${texOf(math)}\\]` : `$${texOf(math)}$`;

  // What a button copies: its text, or the address that it names.
  const textOf = ({ dataset }) => dataset.text ?? new URL(dataset.link, location.href).href;

  // From file:// a browser may refuse its clipboard: then a selection is copied as a person would.
  async function put(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.className = "offscreen";
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  for (const tools of document.querySelectorAll(".tools")) {
    const said = tools.querySelector("[role=status]");
    tools.hidden = false;
    tools.addEventListener("click", async (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      await put(textOf(button));
      button.focus();
      said.textContent = tools.dataset.done;
      setTimeout(() => (said.textContent = ""), 2000);
    });
  }

  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed || event.target.matches?.("textarea, input"))
      return;
    const range = selection.getRangeAt(0).cloneRange();
    const mathAt = (node) => (node.closest ? node : node.parentElement).closest("math");
    const [first, last] = [mathAt(range.startContainer), mathAt(range.endContainer)];
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const holder = document.createElement("div");
    holder.className = "offscreen";
    holder.append(range.cloneContents());
    const formulas = holder.querySelectorAll("math");
    if (!formulas.length) return;
    for (const math of formulas) math.replaceWith(delimited(math));
    for (const tools of holder.querySelectorAll(".tools")) tools.remove();
    document.body.append(holder); // laid out, so that its lines and cells are told apart
    event.clipboardData.setData("text/plain", holder.innerText);
    event.clipboardData.setData("text/html", holder.innerHTML);
    holder.remove();
    event.preventDefault();
  });
})();
