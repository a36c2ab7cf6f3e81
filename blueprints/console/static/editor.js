// The editor of flows. Without this script it checks, tries and saves code, too.
"use strict";

(() => {
  const source = document.getElementById("source");
  const editor = source.form;

  // Line numbers beside the code, which scroll with it.
  const numbers = document.createElement("pre");
  numbers.className = "gutter";
  numbers.ariaHidden = "true";
  source.parentElement.insertBefore(numbers, source);
  function showNumbers() {
    const count = source.value.split("\n").length;
    if (numbers.dataset.count !== String(count)) {
      numbers.textContent = Array.from({ length: count }, (_, index) => index + 1).join("\n");
      numbers.dataset.count = count;
    }
    numbers.scrollTop = source.scrollTop;
  }
  for (const name of ["input", "scroll"]) source.addEventListener(name, showNumbers);
  showNumbers();

  // A finding's link moves the caret. Columns count characters, of which JavaScript may count one as two.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    const lines = source.value.split("\n").slice(0, link.dataset.line);
    const column = [...lines.pop()].slice(0, link.dataset.column - 1).join("").length;
    const caret = lines.reduce((sum, line) => sum + line.length + 1, column);
    source.focus();
    source.setSelectionRange(caret, caret);
    source.scrollTop = parseFloat(getComputedStyle(source).lineHeight) * lines.length - source.clientHeight / 2;
  });

  // Ctrl+] and Ctrl+[ indent and unindent the selected lines. Tab leaves the field, as keyboards need it.
  source.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !["[", "]"].includes(event.key)) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = source;
    const from = value.slice(0, selectionStart).lastIndexOf("\n") + 1;
    const to = (value + "\n").indexOf("\n", selectionEnd);
    const before = value.slice(from, to);
    const after = event.key === "]" ? before.replace(/^(?=.)/gm, "    ") : before.replace(/^ {1,4}/gm, "");
    source.setSelectionRange(from, to);
    document.execCommand("insertText", false, after); // so that it can be undone
    const moved = after.length - before.length;
    if (selectionStart === selectionEnd) source.setSelectionRange(Math.max(from, selectionStart + moved), Math.max(from, selectionStart + moved));
    else source.setSelectionRange(from, to + moved);
  });

  // Show the caret's line and column, counted as in findings.
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== source) return;
    const lines = source.value.slice(0, source.selectionEnd).split("\n");
    document.getElementById("caret").textContent = `Line ${lines.length}, column ${[...lines.at(-1)].length + 1}`;
  });

  // Ask before the page is left with unsaved changes.
  const values = () => JSON.stringify([...new FormData(editor)]);
  const savedValues = editor.dataset.unsaved ? null : values();
  let isSent = false;
  editor.addEventListener("submit", (event) => (isSent = event.submitter?.formTarget !== "_blank"));
  addEventListener("beforeunload", (event) => !isSent && values() !== savedValues && event.preventDefault());
})();
