// The page of a conversation with a flow: the agent's lines aloud, and a microphone. Without this script one types.
"use strict";

(() => {
  const STORED_SWITCH = "dryline-aloud";
  const find = (id) => document.getElementById(id);
  const Recognition = window.SpeechRecognition || window.webkitSpeechRecognition;
  const isAloud = () => find("aloud") !== null && localStorage.getItem(STORED_SWITCH) === "on";

  // What screen readers announce. It is outside of the conversation, because one that is replaced is not announced.
  const announced = document.createElement("p");
  announced.className = "visually-hidden";
  announced.setAttribute("role", "status");
  document.body.append(announced);

  // The agent's lines since the person spoke last, one after the other.
  const audio = new Audio();
  const heard = new Set();
  let waiting = [];

  function read() {
    const bubbles = [...document.querySelectorAll(".talk .bubble")];
    const latest = bubbles.slice(bubbles.findLastIndex((bubble) => bubble.matches(".caller")) + 1);
    announced.textContent = latest.map((bubble) => bubble.textContent).join(" ");
    const lines = latest.map((bubble) => bubble.dataset.audio).filter((line) => line && !heard.has(line));
    lines.forEach((line) => heard.add(line));
    if (!isAloud()) return;
    waiting.push(...lines);
    if (audio.paused) playNext();
  }

  function playNext() {
    const line = waiting.shift();
    if (!line) return;
    audio.src = line;
    audio.play().catch(() => {}); // a browser may want a click first; the lines can be read
  }
  audio.addEventListener("ended", playNext);
  audio.addEventListener("error", playNext);

  function stop() {
    waiting = [];
    audio.pause();
  }

  function switchAloud() {
    localStorage.setItem(STORED_SWITCH, isAloud() ? "off" : "on");
    stop();
    heard.clear();
    begin();
  }

  function listen(button) {
    const recognition = new Recognition();
    const status = find("talk-state");
    stop();
    recognition.lang = button.dataset.language;
    recognition.interimResults = true;
    recognition.onresult = ({ results }) => (find("say").value = [...results].map((one) => one[0].transcript).join(""));
    recognition.onerror = ({ error }) => (status.textContent = `The browser did not understand: ${error}.`);
    recognition.onend = () => {
      button.setAttribute("aria-pressed", "false");
      find("say")?.focus();
    };
    status.textContent = "";
    button.setAttribute("aria-pressed", "true");
    recognition.start();
  }

  document.addEventListener("click", ({ target }) => {
    if (target.id === "aloud") switchAloud();
    if (target.id === "microphone" && target.getAttribute("aria-pressed") === "false") listen(target);
  });
  document.addEventListener("submit", stop);

  // Each turn replaces the conversation. The next answer is typed without a click, unless somebody types elsewhere meanwhile.
  function begin() {
    if (document.activeElement.matches("input, textarea")) find("say")?.removeAttribute("autofocus");
    const talk = document.querySelector(".talk");
    if (talk) talk.scrollTop = talk.scrollHeight;
    find("aloud")?.setAttribute("aria-pressed", String(isAloud()));
    if (find("microphone")) find("microphone").hidden = !Recognition;
    read();
  }
  document.addEventListener("htmx:afterSwap", begin);
  begin();
})();
