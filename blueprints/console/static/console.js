// Every page works without this script. It refreshes pages, copies texts, adds keyboard shortcuts and a search dialog.
"use strict";

document.documentElement.classList.add("scripted");

// The page polls the server. The answer has the world clock's time. When something changed, the event "refresh" makes
// the parts with hx-trigger="refresh from:body" fetch themselves.
const POLL_MS = 1500;
const byId = (id) => document.getElementById(id);
let isLive = localStorage.getItem("dryline-live") !== "off";
let failures = 0;
let lastAnswer = "";

async function poll() {
  if (document.hidden) return;
  const { changes, version } = document.body.dataset;
  const address = `${changes}${changes.includes("?") ? "&" : "?"}since=${encodeURIComponent(version)}`;
  let answer, news;
  try {
    answer = await fetch(address, { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(POLL_MS) });
    if (answer.status === 200) news = await answer.json();
  } catch {
    failures += 1; // The server has stopped, or restarts.
    if (failures >= 2) showLost(`No answer from the server since ${lastAnswer || "this page was opened"}.`);
    return;
  }
  if (answer.status === 403) return showLost("Your session has ended. ", "Sign in again");
  failures = 0;
  showLost("");
  setClock(answer.headers.get("World-Clock"));
  lastAnswer = byId("world-time").textContent;
  if (!isLive) return;
  // Progress that is not written to the database is fetched each time: data-polls.
  if (answer.status !== 200 && !(answer.ok && document.querySelector("[data-polls]"))) return;
  if (news) {
    document.body.dataset.version = news.version;
    showFaults(news.faults);
  }
  refresh();
}

// While the pointer is pressed nothing is replaced: the click would be lost, or the text that is being selected.
let isPressed = false;
let isLate = false; // something was to be replaced meanwhile
document.addEventListener("pointerdown", () => (isPressed = true));
for (const type of ["pointerup", "pointercancel"]) {
  document.addEventListener(type, () => {
    isPressed = false;
    if (isLate) setTimeout(refresh);
  });
}

function refresh() {
  isLate = false;
  document.body.dispatchEvent(new CustomEvent("refresh"));
}

// Tell that the server does not answer, and keep the page: a link would lead to the browser's own error page.
function showLost(text, link) {
  const lost = byId("lost");
  if (!lost || lost.dataset.text === text) return;
  lost.dataset.text = text;
  lost.textContent = text;
  if (link) lost.append(Object.assign(document.createElement("a"), { href: location.href, textContent: link }));
  document.body.classList.toggle("lost", Boolean(text) && !link);
}

function stay(event) {
  const leaves = event.type === "submit" || event.target.closest("a[href^='/'], a[href^='http']");
  if (leaves && document.body.classList.contains("lost")) event.preventDefault();
}
document.addEventListener("click", stay, true);
document.addEventListener("submit", stay, true);

function showFaults(count) {
  const link = byId("faults-on");
  link.textContent = `${count} fault${count === 1 ? "" : "s"} on`;
  link.hidden = count === 0;
}

function showSwitch() {
  const button = byId("auto-refresh");
  if (!button) return;
  button.setAttribute("aria-pressed", String(isLive));
  button.textContent = isLive ? "Auto-refresh" : "Auto-refresh off";
}

const OPEN_CLOCK = "dryline-clock";
document.addEventListener("submit", ({ target: form }) => {
  if (innerWidth <= 900 && form.closest("#clock")) sessionStorage.setItem(OPEN_CLOCK, "open");
});

function begin() {
  setClock();
  showSwitch();
  showZone();
  refillForm();
  byId("auto-refresh")?.addEventListener("click", () => {
    isLive = !isLive;
    localStorage.setItem("dryline-live", isLive ? "on" : "off");
    showSwitch();
  });
  byId("zone")?.addEventListener("click", () => {
    isLocal = !isLocal;
    localStorage.setItem("dryline-zone", isLocal ? "local" : "utc");
    showZone();
  });
  beginSearch();
  byId("show-keys")?.addEventListener("click", () => byId("keys").showModal());
  const letters = byId("letter-keys");
  if (letters) {
    letters.checked = hasLetterKeys();
    letters.addEventListener("change", () => localStorage.setItem("dryline-keys", letters.checked ? "on" : "off"));
  }
  document.querySelector(".menu [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  setInterval(poll, POLL_MS);
  setInterval(tick, 1000);
  // A notice goes by itself; one with "Undo" when there are 30 s behind the change.
  for (const notice of document.querySelectorAll(".toasts .message, .toasts [data-seconds]")) {
    setTimeout(() => notice.querySelector("details[open]") || notice.remove(), 1000 * (notice.dataset.seconds ?? 8));
  }
  // On a telephone the clock's steps stay open for the next press: there they cover nothing.
  if (sessionStorage.getItem(OPEN_CLOCK)) byId("clock").open = true;
  sessionStorage.removeItem(OPEN_CLOCK);
}

// The world clock is the server's: its last answer and the time since then, not a count of ticks.
let clock = { stamp: 0, since: 0, runs: true };

function setClock(header) {
  const time = byId("world-time");
  if (!time) return;
  const [stamp, ...badge] = (header ?? time.dateTime).split(" ");
  if (header !== undefined) {
    byId("clock-badge").textContent = badge.join(" ");
    byId("clock-reset").disabled = !badge.length;
    time.toggleAttribute("data-ticks", badge[0] !== "frozen" && badge[0] !== "frozen,");
  }
  clock = { stamp: Date.parse(stamp), since: performance.now(), runs: time.hasAttribute("data-ticks") };
  tick();
}

function tick() {
  const time = byId("world-time");
  if (!time) return;
  const now = clock.stamp + (clock.runs ? performance.now() - clock.since : 0);
  time.dateTime = new Date(now).toISOString();
  showTime(time);
  for (const timer of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor((now - Date.parse(timer.dataset.since)) / 1000));
    timer.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
  // The mark of a speaker goes when the turn has ended; the part that has it says in how many seconds.
  for (const mark of document.querySelectorAll("[data-ends]")) {
    mark.until ??= now + 1000 * mark.dataset.ends;
    if (now > mark.until) mark.remove();
  }
  for (const timer of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.floor((Date.parse(timer.dataset.until) - now) / 1000));
    const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
    timer.textContent = `${Math.floor(seconds / 3600)}:${minutes}:${rest}`;
  }
}

// Times are written in UTC. The switch beside the clock shows them in local time.
let isLocal = localStorage.getItem("dryline-zone") === "local";

function showTime(time) {
  const moment = new Date(time.dateTime);
  const shown = isLocal ? new Date(moment - moment.getTimezoneOffset() * 60000) : moment;
  const text = shown.toUTCString(); // "Sat, 21 Nov 2026 20:33:22 GMT"
  const day = `${text.slice(0, 3)} ${shown.getUTCDate()} ${text.slice(8, 11)} `;
  time.textContent = (time.hasAttribute("data-clock") ? "" : day) + text.slice(17, 25);
}

function showZone() {
  const zone = byId("zone");
  if (!zone) return;
  const name = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts().find((part) => part.type === "timeZoneName");
  zone.textContent = isLocal ? name.value : "UTC";
  if (isLocal || zone.dataset.changed) document.querySelectorAll("time[datetime]").forEach(showTime);
  zone.dataset.changed = isLocal || "";
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
  openClickedRow(event);
});
document.addEventListener("auxclick", (event) => event.button === 1 && openClickedRow(event));

function openClickedRow(event) {
  const row = event.target.closest("tr[data-open]");
  if (row && !event.target.closest("a, button, input, select, summary, label") && !String(getSelection())) {
    if (event.ctrlKey || event.metaKey || event.button === 1) window.open(row.querySelector("a").href);
    else open(row);
  }
}

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

// A button that was pressed waits for its answer, the next page. Its change may remove what this one would fetch.
document.addEventListener("submit", ({ target: form, submitter, defaultPrevented }) => {
  if (defaultPrevented) return;
  if (form.method === "dialog" || !submitter || submitter.formTarget === "_blank" || form.closest("[hx-post], [hx-get]")) return;
  if (form.getAttribute("method") !== "post") return;
  isLive = false;
  const label = submitter.textContent;
  setTimeout(() => {
    submitter.disabled = true;
    submitter.setAttribute("aria-busy", "true");
    submitter.textContent = `${label} …`;
  });
});
addEventListener("pageshow", (event) => event.persisted && location.reload());

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
});

// The numbers of a column of a chart stand above the pointer.
document.addEventListener("pointerover", ({ target }) => {
  const column = target.closest(".column");
  byId("tip")?.remove();
  if (!column) return;
  const { left, width, top } = column.getBoundingClientRect();
  const tip = Object.assign(document.createElement("div"), { id: "tip", textContent: column.getAttribute("aria-label") });
  document.body.append(tip);
  const half = tip.offsetWidth / 2 + 8;
  tip.style.left = `${Math.min(Math.max(left + width / 2, half), innerWidth - half) + scrollX}px`;
  tip.style.top = `${top + scrollY}px`;
});

// A menu that is open closes with a click elsewhere.
document.addEventListener("click", ({ target }) => {
  const drop = document.querySelector("details.drop[open]");
  if (drop && !drop.contains(target)) drop.open = false;
});

function open(row) {
  row.querySelector("a")?.click();
}

// A list that tails shows new rows at once while its reader is at the top and has chosen none.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const isRead = scrollY > 100 || document.querySelector("tr.chosen");
  if (detail.elt.matches("[data-tails]") && !isRead) detail.path = detail.path.replace(/known=\w+/, "known=");
});

// A part that is refreshed keeps the chosen row (by its link), the horizontal scroll position and the open details.
const every = (selector) => [...document.querySelectorAll(selector)];
let saved = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isPressed && detail.requestConfig.triggeringEvent?.type === "refresh") {
    isLate = true;
    detail.shouldSwap = false;
    return;
  }
  const row = document.querySelector("tr.chosen");
  saved = {
    href: row?.querySelector("a").href,
    isFocused: row?.contains(document.activeElement),
    scrollLefts: every("main .scroll").map((part) => part.scrollLeft),
    areOpen: every("main details").map((part) => part.open),
  };
});
document.addEventListener("htmx:afterSwap", () => {
  showZone();
  if (!saved) return;
  every("main .scroll").forEach((part, index) => (part.scrollLeft = saved.scrollLefts[index] ?? 0));
  const details = every("main details");
  if (details.length === saved.areOpen.length) details.forEach((part, index) => (part.open = saved.areOpen[index]));
  if (!saved.href || document.querySelector("tr.chosen")) return;
  const link = rows().map((row) => row.querySelector("a")).find((one) => one?.href === saved.href);
  link?.closest("tr").classList.add("chosen");
  if (saved.isFocused) link?.focus({ preventScroll: true });
});

// The record of a part that refreshes itself may be gone, by a reset for instance. The page then says so, and polls no more.
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status === 404 && detail.requestConfig.triggeringEvent?.type === "refresh") location.reload();
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
  if (!stored || !document.querySelector("main .flash.error[role=status]")) return;
  const form = formsTo(stored.action)[stored.index];
  if (!form) return;
  fields(form).forEach((field, index) => {
    const value = stored.values[index] ?? field.value;
    if (field.matches("select") && ![...field.options].some((one) => one.value === value)) field.add(new Option(value));
    field.value = value; // also one that a list does not have yet
  });
  form.closest("details")?.setAttribute("open", "");
}

// A file that is dropped on a text area replaces its text.
document.addEventListener("dragover", (event) => event.target.closest("[data-drops]") && event.preventDefault());
document.addEventListener("drop", async (event) => {
  const text = event.target.closest("[data-drops]");
  if (!text || !event.dataTransfer.files.length) return;
  event.preventDefault();
  text.value = await event.dataTransfer.files[0].text();
});

// The search over everything: a combobox whose list the server writes. The first result is chosen until an arrow is
// pressed; `chosenByArrow` is then the address of the chosen one, which stays chosen when further results of a text arrive.
let chosenByArrow = null;
const searchOptions = () => [...byId("search-options").children];

function openSearch() {
  const dialog = byId("search");
  if (!dialog || document.querySelector("dialog[open]")) return;
  dialog.showModal(); // its end gives the focus back
  chosenByArrow = null;
  byId("search-text").select();
  byId("search-text").dispatchEvent(new Event("search"));
}

function chooseOption(index) {
  const options = searchOptions();
  options.forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
  byId("search-text").setAttribute("aria-activedescendant", options[index]?.id ?? "");
  options[index]?.scrollIntoView({ block: "nearest" });
}

function beginSearch() {
  const text = byId("search-text");
  if (!text) return;
  byId("open-search").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openSearch();
  });
  text.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const options = searchOptions();
    const at = options.findIndex((option) => option.ariaSelected === "true");
    if (step && options.length) {
      event.preventDefault();
      chooseOption((at + step + options.length) % options.length);
      chosenByArrow = options.find((option) => option.ariaSelected === "true").href;
    } else if (event.key === "Enter" && at >= 0 && byId("search-options").dataset.text === text.value) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) window.open(options[at].href);
      else options[at].click();
    }
  });
  byId("search-options").addEventListener("htmx:afterSwap", () => {
    const count = searchOptions().length;
    byId("search-options").dataset.text = text.value;
    text.setAttribute("aria-expanded", String(count > 0));
    byId("search-count").textContent = `${count} result${count === 1 ? "" : "s"}`;
    chooseOption(Math.max(0, searchOptions().findIndex((option) => option.href === chosenByArrow)));
  });
  text.addEventListener("input", () => (chosenByArrow = null));
  // A link to a place on this page loads nothing.
  byId("search-options").addEventListener("click", () => byId("search").close());
  byId("search").addEventListener("click", ({ target }) => target === byId("search") && target.close());
}

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
  "/": openSearch,
  j: () => choose(1),
  k: () => choose(-1),
  g: () => (isMenuKeyNext = true),
  "?": () => byId("keys").showModal(),
};
const hasLetterKeys = () => localStorage.getItem("dryline-keys") !== "off";

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openSearch();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const drop = document.querySelector("details.drop[open]");
  if (event.key === "Escape" && drop) {
    drop.open = false;
    drop.querySelector("summary").focus();
    return;
  }
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
  const shortcut = hasLetterKeys() && SHORTCUTS[event.key];
  if (shortcut) {
    event.preventDefault();
    shortcut();
  }
});

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
