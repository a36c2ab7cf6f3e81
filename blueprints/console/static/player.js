// The page of a call: keeps recording, transcript and drawing in step. Without this script, turns are links.
"use strict";

(() => {
  const audio = document.getElementById("recording");
  const box = document.getElementById("turns");
  const drawing = document.getElementById("lanes");
  const playhead = document.getElementById("playhead");
  const status = document.getElementById("recording-state");
  const turns = [...document.querySelectorAll("li[data-start]")];

  function turnAt(seconds) {
    return turns.findLast((turn) => Number(turn.dataset.start) <= seconds && seconds < Number(turn.dataset.end) + 0.3);
  }

  let marked = null;
  function mark(turn) {
    if (turn === marked) return;
    for (const element of [marked, marked && blockOf(marked)]) element?.classList.remove("now");
    marked?.removeAttribute("aria-current");
    marked = turn;
    if (!turn) return;
    turn.classList.add("now");
    turn.setAttribute("aria-current", "true");
    blockOf(turn)?.classList.add("now");
    scrollTo(turn);
  }

  function blockOf(turn) {
    return drawing?.querySelector(`[data-turn="${turn.id}"]`);
  }

  // Scroll the transcript's own box, only if the turn is outside of it.
  function scrollTo(turn) {
    const top = turn.offsetTop - box.offsetTop;
    if (top >= box.scrollTop && top + turn.offsetHeight <= box.scrollTop + box.clientHeight) return;
    box.scrollTop = top - box.clientHeight / 3;
  }

  function show() {
    mark(turnAt(audio.currentTime));
    if (!playhead) return;
    const x = (audio.currentTime / Number(drawing.dataset.length)) * drawing.viewBox.baseVal.width;
    playhead.setAttribute("x1", x);
    playhead.setAttribute("x2", x);
  }

  function animate() {
    show();
    if (!audio.paused && !audio.ended) requestAnimationFrame(animate);
  }

  function play(seconds) {
    audio.currentTime = seconds;
    show();
    audio.play().catch(() => {}); // the audio element's error event shows the failure
  }

  function playTurn(turn) {
    history.replaceState(null, "", `#${turn.id}`);
    play(Number(turn.dataset.start));
  }

  if (audio) {
    // The file is fetched when it is first played, and the server makes it then.
    let isReady = false;
    const showStatus = (text) => (status.textContent = text || "");
    audio.addEventListener("play", () => {
      if (!isReady) showStatus(status.dataset.loading);
      requestAnimationFrame(animate);
    });
    for (const name of ["canplay", "playing"]) audio.addEventListener(name, () => ((isReady = true), showStatus("")));
    audio.addEventListener("error", () => showStatus(status.dataset.failed));
    for (const name of ["timeupdate", "seeked"]) audio.addEventListener(name, show);

    box?.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      const turn = event.target.closest("li[data-start]");
      if (!turn || (link && !link.classList.contains("at")) || String(getSelection())) return;
      event.preventDefault();
      playTurn(turn);
    });
    drawing?.addEventListener("click", (event) => {
      const link = event.target.closest("[data-turn]");
      event.preventDefault();
      if (link) return playTurn(document.getElementById(link.dataset.turn));
      const { left, width } = drawing.getBoundingClientRect();
      play(((event.clientX - left) / width) * Number(drawing.dataset.length));
    });
    // The address may name a turn.
    const target = document.getElementById(location.hash.slice(1));
    if (target?.dataset.start) {
      audio.currentTime = Number(target.dataset.start);
      mark(target);
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const rel = { n: "next", p: "prev" }[event.key];
    if (rel) document.querySelector(`main a[rel="${rel}"]`)?.click();
  });
})();
