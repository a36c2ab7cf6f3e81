// The editor of flows. Without this script it checks, tries and saves code, too.
"use strict";

(() => {
  const source = document.getElementById("source");
  const editor = source.form;

  // Beside the code its line numbers, over it its colours, with the marks of findings in both. They scroll with it.
  const numbers = document.createElement("pre");
  const colours = document.createElement("pre");
  numbers.className = "gutter";
  colours.className = "colours";
  numbers.ariaHidden = colours.ariaHidden = "true";
  const typed = document.createElement("div");
  typed.className = "typed";
  source.replaceWith(numbers, typed);
  typed.append(source, colours);

  // A comment, a text, a number or a name. A text that is never closed ends with its line or the code.
  const TOKEN = /(#[^\n]*)|([rbuf]{0,2}(?:"{3}(?:\\[^]|[^\\])*?(?:"{3}|$)|'{3}(?:\\[^]|[^\\])*?(?:'{3}|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(\d[\w.]*)|([\p{L}_][\p{L}\p{N}_]*)/giu;
  const names = JSON.parse(source.dataset.names);
  const MAX_COLOURED = 50000; // characters

  function classOf([token, comment, text, number], start, code) {
    if (comment || text || number) return comment ? "c" : text ? "s" : "m";
    const before = code.slice(code.lastIndexOf("\n", start - 1) + 1, start);
    if (names.blocks.includes(token)) return before.trim() ? "" : "k";
    if (names.keywords.includes(token)) return "k";
    if (/\b(?:def|class)\s+$/.test(before)) return "f";
    return names.based.includes(token) || (names.builtins.includes(token) && !before.endsWith(".")) ? "b" : "";
  }

  // The findings as offsets in the code. Columns count characters, of which JavaScript may count one as two.
  function offsetOf({ line, column }, lines) {
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  }

  function show() {
    const code = source.value;
    const lines = code.split("\n");
    const findings = [...document.querySelectorAll("#findings [data-line], #opened[data-line]")].map(({ dataset }) => dataset);
    const marks = findings.map((finding) => [offsetOf(finding, lines), finding.severity]);
    const pieces = [];
    const add = (start, end, kind) => {
      const mark = marks.find(([offset]) => start <= offset && offset < end);
      const className = [kind, mark && `mark ${mark[1]}`].filter(Boolean).join(" ");
      const text = code.slice(start, end);
      pieces.push(className ? Object.assign(document.createElement("span"), { className, textContent: text }) : text);
    };
    const addBetween = (start, end) => {
      const borders = marks.flatMap(([offset]) => (start <= offset && offset < end ? [offset, offset + 1] : []));
      [start, ...borders, end].reduce((from, to) => (add(from, to, ""), to));
    };
    let end = 0;
    const isColoured = code.length <= MAX_COLOURED;
    for (const match of isColoured ? code.matchAll(TOKEN) : []) {
      addBetween(end, match.index);
      end = match.index + match[0].length;
      add(match.index, end, classOf(match, match.index, code));
    }
    addBetween(end, code.length);
    colours.replaceChildren(...pieces, "\n");
    typed.classList.toggle("coloured", isColoured);
    const severities = Object.fromEntries(findings.map(({ line, severity }) => [line, severity]));
    numbers.replaceChildren(
      ...lines.map((_, index) => {
        const className = severities[index + 1] ? `mark ${severities[index + 1]}` : "";
        return Object.assign(document.createElement("span"), { className, textContent: `${index + 1}\n` });
      }),
    );
    scroll();
  }

  function scroll() {
    colours.style.width = `${source.clientWidth + 2}px`; // without the scroll bars
    colours.style.height = `${source.clientHeight + 2}px`;
    numbers.scrollTop = colours.scrollTop = source.scrollTop;
    colours.scrollLeft = source.scrollLeft;
  }
  // Text of many lines, as Ctrl+] puts it in, is an event for each of them.
  let frame = 0;
  source.addEventListener("input", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(show);
  });
  source.addEventListener("scroll", scroll);
  new ResizeObserver(scroll).observe(source);
  document.addEventListener("htmx:afterSwap", show);
  show();

  // A finding's link moves the caret.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (!link) return;
    event.preventDefault();
    moveCaret(link.dataset);
  });

  function moveCaret(position) {
    const caret = offsetOf(position, source.value.split("\n"));
    source.focus();
    source.setSelectionRange(caret, caret);
    source.scrollTop = parseFloat(getComputedStyle(source).lineHeight) * (position.line - 1) - source.clientHeight / 2;
  }

  // The address may name a line, such as one that failed.
  const opened = document.getElementById("opened");
  if (opened) moveCaret(opened.dataset);

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
