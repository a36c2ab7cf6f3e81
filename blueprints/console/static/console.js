// Every page works without this: it only saves reloads, keystrokes and the hand on the mouse.
"use strict";

document.documentElement.classList.add("scripted");

// The pulse: one small question now and then; only when something changed do the parts that care fetch themselves anew
// (hx-trigger="pulse from:body").
const PULSE_MS = 1500;
let following = localStorage.getItem("dryline-live") !== "off";

async function pulse() {
  if (!following || document.hidden) return;
  try {
    const { pulse: address, beat } = document.body.dataset;
    const answer = await fetch(`${address}${address.includes("?") ? "&" : "?"}since=${encodeURIComponent(beat)}`);
    // What moves with the clock alone, or before it is written down, says so: data-moves.
    if (answer.status !== 200 && !(answer.ok && document.querySelector("[data-moves]"))) return;
    if (answer.status === 200) document.body.dataset.beat = (await answer.json()).beat;
    document.body.dispatchEvent(new CustomEvent("pulse"));
  } catch {
    // The server is gone or restarts: the next question may find it.
  }
}

function showSwitch() {
  const button = document.getElementById("live-switch");
  if (!button) return;
  button.setAttribute("aria-pressed", String(following));
  button.textContent = following ? "Live" : "Live off";
}

function begin() {
  showSwitch();
  fillAgain();
  document.getElementById("live-switch")?.addEventListener("click", () => {
    following = !following;
    localStorage.setItem("dryline-live", following ? "on" : "off");
    showSwitch();
  });
  setInterval(pulse, PULSE_MS);
  setInterval(tick, 1000);
}

// The world clock, and timers, go on by themselves between two looks.
function tick() {
  for (const time of document.querySelectorAll("time.now[data-ticks]")) {
    const now = new Date(Date.parse(time.dateTime) + 1000);
    time.dateTime = now.toISOString();
    const words = now.toUTCString(); // "Sat, 21 Nov 2026 …"
    time.textContent = `${words.slice(0, 3)} ${now.getUTCDate()} ${words.slice(8, 11)} ${now.toISOString().slice(11, 19)}`;
  }
  const clock = document.querySelector("time.now");
  for (const timer of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(clock.dateTime) - Date.parse(timer.dataset.since)) / 1000));
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
  for (const timer of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(timer.dataset.until) - Date.parse(clock.dateTime)) / 1000));
    const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
    timer.textContent = `${Math.floor(seconds / 3600)}:${minutes}:${rest}`;
  }
}

// Clicks: copy a snippet; a row opens what its link leads to.
document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copies]");
  if (copy) {
    const text = copy.dataset.copies || copy.parentElement.querySelector("code").textContent;
    await copyText(text);
    copy.focus();
    const before = copy.textContent;
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = before), 1500);
    return;
  }
  const row = event.target.closest("tr[data-open]");
  if (row && !event.target.closest("a, button, input, select, summary, label") && !String(getSelection())) open(row);
});

// Over plain HTTP, except on loopback, scripts have no clipboard. There the text is copied from a field.
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
});

function open(row) {
  row.querySelector("a")?.click();
}

// What a reader did to a part survives when it is fetched anew: the row that was chosen, known by where it leads, how far
// it was scrolled aside, and what was opened in it.
const every = (selector) => [...document.querySelectorAll(selector)];
let kept = null;
document.addEventListener("htmx:beforeSwap", () => {
  const row = document.querySelector("tr.chosen");
  kept = {
    href: row?.querySelector("a").href,
    focused: row?.contains(document.activeElement),
    scrolled: every("main .scroll").map((part) => part.scrollLeft),
    opened: every("main details").map((part) => part.open),
  };
});
document.addEventListener("htmx:afterSwap", () => {
  if (!kept) return;
  every("main .scroll").forEach((part, index) => (part.scrollLeft = kept.scrolled[index] ?? 0));
  const details = every("main details");
  if (details.length === kept.opened.length) details.forEach((part, index) => (part.open = kept.opened[index]));
  if (!kept.href || document.querySelector("tr.chosen")) return;
  const link = rows().map((row) => row.querySelector("a")).find((one) => one?.href === kept.href);
  link?.closest("tr").classList.add("chosen");
  if (kept.focused) link?.focus({ preventScroll: true });
});

// A form that was refused has again what was typed. Passwords, and what the page itself put there, are not kept.
const REFUSED = "dryline-sent";
const typed = (form) => [...form.querySelectorAll("input:not([type=hidden], [type=password], [type=file]), select, textarea")];
const alike = (action) => [...document.forms].filter((form) => form.getAttribute("action") === action);

document.addEventListener("submit", ({ target: form }) => {
  if (form.getAttribute("method") !== "post") return; // form.method is the field of that name, where there is one
  const action = form.getAttribute("action");
  const sent = { action, index: alike(action).indexOf(form), values: typed(form).map((field) => field.value) };
  try {
    sessionStorage.setItem(REFUSED, JSON.stringify(sent));
  } catch {
    // More than a tab may keep: the page comes back empty then.
  }
});

function fillAgain() {
  const sent = JSON.parse(sessionStorage.getItem(REFUSED));
  sessionStorage.removeItem(REFUSED);
  if (!sent || !document.querySelector(".flash.error[role=status]")) return;
  const form = alike(sent.action)[sent.index];
  if (form) typed(form).forEach((field, index) => (field.value = sent.values[index] ?? field.value));
}

// A file that is dropped on a text becomes that text.
document.addEventListener("dragover", (event) => event.target.closest("[data-drops]") && event.preventDefault());
document.addEventListener("drop", async (event) => {
  const text = event.target.closest("[data-drops]");
  if (!text || !event.dataTransfer.files.length) return;
  event.preventDefault();
  text.value = await event.dataTransfer.files[0].text();
});

// Keys.
const rows = () => [...document.querySelectorAll("tr[data-open]")];
let awaitingPage = false;

function choose(step) {
  const all = rows();
  if (!all.length) return;
  const at = all.findIndex((row) => row.classList.contains("chosen"));
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  all[at]?.classList.remove("chosen");
  next.classList.add("chosen");
  next.querySelector("a")?.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

const KEYS = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => choose(1),
  k: () => choose(-1),
  g: () => (awaitingPage = true),
  "?": () => document.getElementById("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (awaitingPage) {
    awaitingPage = false;
    document.querySelector(`.menu [data-key="${CSS.escape(event.key)}"]`)?.click();
    return;
  }
  if (event.key === "Enter" && event.target.matches("main, body")) {
    const chosen = document.querySelector("tr.chosen");
    if (chosen) open(chosen);
    return;
  }
  if (event.key === "Escape") document.querySelector("details.drop[open]")?.removeAttribute("open");
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
