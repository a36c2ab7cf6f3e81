// The page of a conversation: keeps recording, transcript, code and drawing in step. Without this script, turns and
// line numbers are links, and the browser's own player is shown.
"use strict";

(() => {
  const find = (id) => document.getElementById(id);
  const STEP_S = 5; // of the arrow keys
  const SILENCE_S = 0.6; // shorter pauses are not skipped
  const STORED_SWITCH = "dryline-steps";

  // Everything that has a time: turns, and the flow's steps between them.
  const cues = () => [...document.querySelectorAll("#turns [data-start]")];
  const turns = () => cues().filter((cue) => cue.matches(".turn"));
  const start = (cue) => Number(cue.dataset.start);
  const end = (cue) => Number(cue.dataset.end);
  const lineOf = (cue) => cue && find(`line-${cue.dataset.line}`);
  const blockOf = (turn) => find("lanes")?.querySelector(`[data-turn="${turn.id}"]`);
  const clockTime = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

  // Scroll a box of its own, only if the element is outside of it, or of the part of it that is in the window and not
  // below the player, which stays in sight. Boxes are positioned, so offsets count from them.
  function keepInSight(box, element) {
    const top = element.offsetTop;
    const boxTop = box.getBoundingClientRect().top;
    const covered = Math.max(0, (document.querySelector(".player")?.getBoundingClientRect().bottom ?? 0) - boxTop);
    const inWindow = Math.min(box.clientHeight, innerHeight - boxTop);
    const height = inWindow > element.offsetHeight + covered ? inWindow : box.clientHeight;
    if (top >= box.scrollTop + covered && top + element.offsetHeight <= box.scrollTop + height) return;
    box.scrollTop = top - covered - (height - covered) / 3;
  }

  function markOnly(element, selector, box) {
    const marked = document.querySelector(`${selector}.now`);
    if (marked === element) return;
    marked?.classList.remove("now");
    marked?.removeAttribute("aria-current");
    if (!element) return;
    element.classList.add("now");
    if (!box) return;
    element.setAttribute("aria-current", "true");
    keepInSight(box, element);
  }

  function markTurn(turn) {
    markOnly(turn, "#turns li", find("turns"));
    markOnly(turn && blockOf(turn), "#lanes a");
  }

  function markLine(line) {
    if (find("code-box")) markOnly(line, "#code-box li", find("code-box"));
  }

  // Mark the turn of a moment, and the line that ran last before it.
  function markMoment(seconds) {
    markTurn(turns().findLast((turn) => start(turn) <= seconds && seconds < end(turn) + 0.3));
    const ran = cues().findLast((cue) => cue.dataset.line && start(cue) <= seconds);
    markLine(lineOf(ran));
  }

  function show(audio) {
    const seconds = audio.currentTime;
    markMoment(seconds);
    const drawing = find("lanes");
    const position = find("position");
    const length = Number(position.max);
    if (drawing) {
      const x = (seconds / Number(drawing.dataset.length)) * drawing.viewBox.baseVal.width;
      for (const name of ["x1", "x2"]) find("playhead").setAttribute(name, x);
    }
    position.value = seconds;
    position.setAttribute("aria-valuetext", `${clockTime(seconds)} of ${clockTime(length)}`);
    find("time").textContent = `${clockTime(seconds)} / ${clockTime(length)}`;
    find("play").textContent = audio.paused || audio.ended ? "Play" : audio.readyState < 3 ? "Loading …" : "Pause";
  }

  // Draw the loudness of both voices in their lanes, in place of the blocks.
  const WAVE_HZ = 8000; // enough for a drawing
  async function drawWave({ currentSrc }) {
    const drawing = find("lanes");
    if (!drawing) return;
    const file = await (await fetch(currentSrc, { cache: "no-store" })).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, WAVE_HZ).decodeAudioData(file);
    if (sound.numberOfChannels < 2) return;
    const { width } = drawing.viewBox.baseVal;
    const peaks = [0, 1].map((channel) => peaksOf(sound.getChannelData(channel), width));
    const highest = Math.max(0.01, ...peaks.flat());
    [...drawing.querySelectorAll(".lane")].forEach((lane, channel) => {
      const [top, height] = [Number(lane.getAttribute("y")), Number(lane.getAttribute("height"))];
      // A part of each voice is in the other channel too.
      const parts = peaks[channel].map((peak, x) => {
        const half = (Math.max(peak - peaks[1 - channel][x] / 4, 0) / highest) * (height / 2);
        return `M${x} ${(top + height / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
      });
      const wave = document.createElementNS(drawing.namespaceURI, "path");
      wave.setAttribute("class", `wave ${channel ? "caller" : "agent"}`);
      wave.setAttribute("d", parts.join(""));
      find("playhead").before(wave);
    });
    drawing.classList.add("heard");
  }

  function peaksOf(samples, count) {
    return Array.from({ length: count }, (_, index) => {
      const part = samples.subarray((index * samples.length) / count, ((index + 1) * samples.length) / count);
      return part.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
    });
  }

  // Return the next voice's start if nobody speaks at this moment.
  function endOfSilence(seconds) {
    if (turns().some((turn) => start(turn) - 0.2 <= seconds && seconds < end(turn) + 0.2)) return null;
    const next = Math.min(...turns().map(start).filter((one) => one > seconds));
    return Number.isFinite(next) && next - seconds > SILENCE_S ? next - 0.2 : null;
  }

  function beginPlayer(audio) {
    const status = find("recording-state");
    const lastVoice = Number(audio.dataset.voicesEnd || Infinity);
    const firstVoice = Math.min(...turns().map(start));
    let before = 0;
    let isSought = false;
    audio.controls = false;

    function animate() {
      const seconds = audio.currentTime;
      // Behind the last voice there is nothing to hear. Whoever seeks to a later moment hears it all the same.
      if (before < lastVoice && seconds >= lastVoice && seconds < lastVoice + 2) audio.pause();
      const next = find("skips").checked ? endOfSilence(seconds) : null;
      if (next !== null) audio.currentTime = next;
      before = seconds;
      show(audio);
      if (!audio.paused && !audio.ended) requestAnimationFrame(animate);
    }

    // The file is fetched when it is first played, and the server makes it then.
    let isReady = false;
    const showStatus = (text) => (status.textContent = text || "");
    audio.addEventListener("play", () => {
      before = audio.currentTime;
      // Before the first voice it only rings. Whoever seeks there hears it all the same.
      if (!before && !isSought && firstVoice > 1 && Number.isFinite(firstVoice)) audio.currentTime = before = firstVoice - 0.5;
      if (before >= lastVoice && before < lastVoice + 2) audio.currentTime = before = 0;
      if (!isReady) showStatus(status.dataset.loading);
      if (innerWidth < 1100) audio.closest(".listen").scrollIntoView({ behavior: "smooth" }); // with the code, below it
      requestAnimationFrame(animate);
    });
    for (const name of ["canplay", "playing"]) audio.addEventListener(name, () => ((isReady = true), showStatus("")));
    audio.addEventListener("error", () => showStatus(status.dataset.failed));
    // By now the line has proved fast enough for a second copy of the file.
    audio.addEventListener("canplaythrough", () => drawWave(audio).catch(() => {}), { once: true });
    for (const name of ["timeupdate", "seeked", "pause", "ended", "playing", "waiting"]) audio.addEventListener(name, () => show(audio));

    find("play").addEventListener("click", () => toggle(audio));
    find("position").addEventListener("input", ({ target }) => {
      isSought = true;
      audio.currentTime = Number(target.value);
      show(audio);
    });
    find("speed").addEventListener("change", ({ target }) => (audio.playbackRate = Number(target.value)));
    // The address may name a turn.
    const target = find(location.hash.slice(1));
    if (target?.dataset.start) {
      audio.currentTime = start(target);
      markMoment(start(target));
    }
  }

  function toggle(audio) {
    if (audio.paused) audio.play().catch(() => {}); // the error event shows the failure
    else audio.pause();
  }

  // Play from a moment. Without a recording, mark what was said then.
  function seek(seconds) {
    const audio = find("recording");
    if (!audio) return markMoment(seconds);
    audio.currentTime = seconds;
    show(audio);
    audio.play().catch(() => {});
  }

  function seekTurn(turn) {
    history.replaceState(null, "", `#${turn.id}`);
    seek(start(turn));
  }

  // The next time that a line runs, or else the first.
  function seekLine(line) {
    const times = cues().filter((cue) => `line-${cue.dataset.line}` === line.id).map(start);
    if (!times.length) return;
    const now = find("recording")?.currentTime ?? -1;
    seek(times.find((time) => time > now + 0.05) ?? times[0]);
  }

  document.addEventListener("click", (event) => {
    if (String(getSelection())) return;
    const link = event.target.closest("a");
    const cue = event.target.closest("#turns [data-start]");
    const line = event.target.closest("#code-box li.ran");
    const drawing = event.target.closest("#lanes");
    if (link?.matches("[href^='#line-']") && find("code-box")) {
      event.preventDefault();
      if (!link.closest("#turns")) find("code-box").scrollIntoView({ block: "center" }); // of an error, far below
      markLine(find(link.hash.slice(1)));
    } else if (cue?.matches(".turn") && (!link || link.matches(".at"))) {
      event.preventDefault();
      seekTurn(cue);
    } else if (line && (!link || link.matches(".line-number"))) {
      event.preventDefault();
      seekLine(line);
    } else if (drawing && find("recording")) {
      event.preventDefault();
      const { left, width } = drawing.getBoundingClientRect();
      seek(((event.clientX - left) / width) * Number(drawing.dataset.length));
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const rel = { n: "next", p: "prev" }[event.key];
    if (rel) document.querySelector(`main a[rel="${rel}"]`)?.click();
    const audio = find("recording");
    if (!audio || event.target.closest("button, summary, dialog")) return;
    const seconds = { ArrowLeft: -STEP_S, ArrowRight: STEP_S }[event.key];
    if (event.key === " ") toggle(audio);
    else if (seconds) audio.currentTime = Math.max(0, audio.currentTime + seconds);
    else return;
    event.preventDefault();
  });

  // The switch of the flow's steps is remembered. A call in progress is marked where it is.
  function begin() {
    const steps = find("steps");
    if (steps) steps.checked = localStorage.getItem(STORED_SWITCH) === "on";
    const line = document.querySelector("#code-box li.failed, #code-box li.now") || lineOf(document.querySelector("#turns [data-line]"));
    if (line) keepInSight(find("code-box"), line);
    if (document.querySelector("#call[hx-get]") && turns().length) markTurn(turns().at(-1));
  }
  document.addEventListener("change", ({ target }) => {
    if (target.id === "steps") localStorage.setItem(STORED_SWITCH, target.checked ? "on" : "off");
  });
  document.addEventListener("htmx:afterSwap", begin);
  begin();
  if (find("recording")) beginPlayer(find("recording"));
})();
