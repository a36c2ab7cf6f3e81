// The page of one call: what is heard, said and drawn go together. Without this, turns are links to their places.
"use strict";

(() => {
  const audio = document.getElementById("recording");
  const box = document.getElementById("turns");
  const drawing = document.getElementById("lanes");
  const playhead = document.getElementById("playhead");
  const told = document.getElementById("recording-state");
  const turns = [...document.querySelectorAll("li[data-start]")];

  // Which turn is spoken: the last that has begun, until it is over.
  function current(now) {
    return turns.findLast((turn) => Number(turn.dataset.start) <= now && now < Number(turn.dataset.end) + 0.3);
  }

  let marked = null;
  function mark(turn) {
    if (turn === marked) return;
    for (const one of [marked, marked && block(marked)]) one?.classList.remove("now");
    marked?.removeAttribute("aria-current");
    marked = turn;
    if (!turn) return;
    turn.classList.add("now");
    turn.setAttribute("aria-current", "true");
    block(turn)?.classList.add("now");
    keepInSight(turn);
  }

  function block(turn) {
    return drawing?.querySelector(`[data-turn="${turn.id}"]`);
  }

  // Only the transcript's own box scrolls, and only when the turn is outside of what it shows.
  function keepInSight(turn) {
    const top = turn.offsetTop - box.offsetTop;
    if (top >= box.scrollTop && top + turn.offsetHeight <= box.scrollTop + box.clientHeight) return;
    box.scrollTop = top - box.clientHeight / 3;
  }

  function show() {
    mark(current(audio.currentTime));
    if (!playhead) return;
    const x = (audio.currentTime / Number(drawing.dataset.length)) * drawing.viewBox.baseVal.width;
    playhead.setAttribute("x1", x);
    playhead.setAttribute("x2", x);
  }

  function run() {
    show();
    if (!audio.paused && !audio.ended) requestAnimationFrame(run);
  }

  function hear(seconds) {
    audio.currentTime = seconds;
    show();
    audio.play().catch(() => {}); // where it cannot, the audio element's own error says so
  }

  function hearTurn(turn) {
    history.replaceState(null, "", `#${turn.id}`);
    hear(Number(turn.dataset.start));
  }

  if (audio) {
    // Before it is first played nothing is fetched, and the server makes the file when it is.
    let ready = false;
    const say = (text) => (told.textContent = text || "");
    audio.addEventListener("play", () => {
      if (!ready) say(told.dataset.making);
      requestAnimationFrame(run);
    });
    for (const name of ["canplay", "playing"]) audio.addEventListener(name, () => ((ready = true), say("")));
    audio.addEventListener("error", () => say(told.dataset.failed));
    for (const name of ["timeupdate", "seeked"]) audio.addEventListener(name, show);

    box?.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      const turn = event.target.closest("li[data-start]");
      if (!turn || (link && !link.classList.contains("at")) || String(getSelection())) return;
      event.preventDefault();
      hearTurn(turn);
    });
    drawing?.addEventListener("click", (event) => {
      const link = event.target.closest("[data-turn]");
      event.preventDefault();
      if (link) return hearTurn(document.getElementById(link.dataset.turn));
      const { left, width } = drawing.getBoundingClientRect();
      hear(((event.clientX - left) / width) * Number(drawing.dataset.length));
    });
    // An address that names a turn begins there.
    const wanted = document.getElementById(location.hash.slice(1));
    if (wanted?.dataset.start) {
      audio.currentTime = Number(wanted.dataset.start);
      mark(wanted);
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const rel = { n: "next", p: "prev" }[event.key];
    if (rel) document.querySelector(`main a[rel="${rel}"]`)?.click();
  });
})();
