// Every page works without this script. It refreshes pages, copies texts and adds keyboard shortcuts.
"use strict";

document.documentElement.classList.add("scripted");

// The page polls for changes. When something changed, the event "refresh" makes the parts with
// hx-trigger="refresh from:body" fetch themselves.
const POLL_MS = 1500;
let isLive = localStorage.getItem("dryline-live") !== "off";

async function poll() {
  if (!isLive || document.hidden) return;
  try {
    const { changes, version } = document.body.dataset;
    const answer = await fetch(`${changes}${changes.includes("?") ? "&" : "?"}since=${encodeURIComponent(version)}`);
    // Progress that is not written to the database is fetched each time: data-polls.
    if (answer.status !== 200 && !(answer.ok && document.querySelector("[data-polls]"))) return;
    if (answer.status === 200) document.body.dataset.version = (await answer.json()).version;
    document.body.dispatchEvent(new CustomEvent("refresh"));
  } catch {
    // The server has stopped or restarts. The next poll may reach it.
  }
}

function showSwitch() {
  const button = document.getElementById("live-switch");
  if (!button) return;
  button.setAttribute("aria-pressed", String(isLive));
  button.textContent = isLive ? "Live" : "Live off";
}

function begin() {
  showSwitch();
  refillForm();
  document.getElementById("live-switch")?.addEventListener("click", () => {
    isLive = !isLive;
    localStorage.setItem("dryline-live", isLive ? "on" : "off");
    showSwitch();
  });
  setInterval(poll, POLL_MS);
  setInterval(tick, 1000);
}

// Advance the world clock and the timers by a second.
function tick() {
  for (const time of document.querySelectorAll("time.now[data-ticks]")) {
    const now = new Date(Date.parse(time.dateTime) + 1000);
    time.dateTime = now.toISOString();
    const text = now.toUTCString(); // "Sat, 21 Nov 2026 …"
    time.textContent = `${text.slice(0, 3)} ${now.getUTCDate()} ${text.slice(8, 11)} ${now.toISOString().slice(11, 19)}`;
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

// A button copies its text, or the snippet beside it. A row opens its first link.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (button) {
    await copyText(button.dataset.copies || button.parentElement.querySelector("code").textContent);
    button.focus();
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
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

// A part that is refreshed keeps the chosen row (by its link), the horizontal scroll position and the open details.
const every = (selector) => [...document.querySelectorAll(selector)];
let saved = null;
document.addEventListener("htmx:beforeSwap", () => {
  const row = document.querySelector("tr.chosen");
  saved = {
    href: row?.querySelector("a").href,
    isFocused: row?.contains(document.activeElement),
    scrollLefts: every("main .scroll").map((part) => part.scrollLeft),
    areOpen: every("main details").map((part) => part.open),
  };
});
document.addEventListener("htmx:afterSwap", () => {
  if (!saved) return;
  every("main .scroll").forEach((part, index) => (part.scrollLeft = saved.scrollLefts[index] ?? 0));
  const details = every("main details");
  if (details.length === saved.areOpen.length) details.forEach((part, index) => (part.open = saved.areOpen[index]));
  if (!saved.href || document.querySelector("tr.chosen")) return;
  const link = rows().map((row) => row.querySelector("a")).find((one) => one?.href === saved.href);
  link?.closest("tr").classList.add("chosen");
  if (saved.isFocused) link?.focus({ preventScroll: true });
});

// A form that was refused gets its values back, except passwords, files and hidden fields.
const STORED_FORM = "dryline-form";
const fields = (form) => [...form.querySelectorAll("input:not([type=hidden], [type=password], [type=file]), select, textarea")];
const formsTo = (action) => [...document.forms].filter((form) => form.getAttribute("action") === action);

document.addEventListener("submit", ({ target: form }) => {
  if (form.getAttribute("method") !== "post") return; // form.method would be a field of that name
  const action = form.getAttribute("action");
  const stored = { action, index: formsTo(action).indexOf(form), values: fields(form).map((field) => field.value) };
  try {
    sessionStorage.setItem(STORED_FORM, JSON.stringify(stored));
  } catch {
    // Too large for the storage: the form comes back empty.
  }
});

function refillForm() {
  const stored = JSON.parse(sessionStorage.getItem(STORED_FORM));
  sessionStorage.removeItem(STORED_FORM);
  if (!stored || !document.querySelector(".flash.error[role=status]")) return;
  const form = formsTo(stored.action)[stored.index];
  if (form) fields(form).forEach((field, index) => (field.value = stored.values[index] ?? field.value));
}

// A file that is dropped on a text area replaces its text.
document.addEventListener("dragover", (event) => event.target.closest("[data-drops]") && event.preventDefault());
document.addEventListener("drop", async (event) => {
  const text = event.target.closest("[data-drops]");
  if (!text || !event.dataTransfer.files.length) return;
  event.preventDefault();
  text.value = await event.dataTransfer.files[0].text();
});

// Keyboard shortcuts.
const rows = () => [...document.querySelectorAll("tr[data-open]")];
let isMenuKeyNext = false;

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

const SHORTCUTS = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => choose(1),
  k: () => choose(-1),
  g: () => (isMenuKeyNext = true),
  "?": () => document.getElementById("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (isMenuKeyNext) {
    isMenuKeyNext = false;
    document.querySelector(`.menu [data-key="${CSS.escape(event.key)}"]`)?.click();
    return;
  }
  if (event.key === "Enter" && event.target.matches("main, body")) {
    const row = document.querySelector("tr.chosen");
    if (row) open(row);
    return;
  }
  if (event.key === "Escape") document.querySelector("details.drop[open]")?.removeAttribute("open");
  const shortcut = SHORTCUTS[event.key];
  if (shortcut) {
    event.preventDefault();
    shortcut();
  }
});

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
