// The editor of flows: it takes, checks and saves code without this, too.
"use strict";

(() => {
  const source = document.getElementById("source");
  const editor = source.form;

  // A finding leads to its place. Columns count characters, of which one may be two to a script.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    const lines = source.value.split("\n").slice(0, link.dataset.line);
    const column = [...lines.pop()].slice(0, link.dataset.column - 1).join("").length;
    const at = lines.reduce((sum, one) => sum + one.length + 1, column);
    source.focus();
    source.setSelectionRange(at, at);
    source.scrollTop = parseFloat(getComputedStyle(source).lineHeight) * lines.length - source.clientHeight / 2;
  });

  // Where the caret is, as the findings tell places.
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== source) return;
    const lines = source.value.slice(0, source.selectionEnd).split("\n");
    document.getElementById("caret").textContent = `Line ${lines.length}, column ${[...lines.at(-1)].length + 1}`;
  });

  // Who leaves with something typed is asked first, unless it was sent off.
  const written = () => JSON.stringify([...new FormData(editor)]);
  const opened = editor.dataset.unsaved ? null : written();
  let sent = false;
  editor.addEventListener("submit", (event) => (sent = event.submitter?.formTarget !== "_blank"));
  addEventListener("beforeunload", (event) => !sent && written() !== opened && event.preventDefault());
})();
