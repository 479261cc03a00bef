// What moves money is asked for again, by the same key, until it is answered: it is
// done once, and a double click does nothing more. Or it is given up, and the page
// says what became of it. Without script the browser's own "load again" does the same.
// The forms are that of the sale, and those that say so (data-once): of what is
// sold, or of money that is handed out.
//
// Whatever else leaves the page first asks whether the server answers: while it does
// not, the page stays, with all that is marked on it, says so, and goes on by itself.
// @ts-check

const line = /** @type {HTMLElement} */ (document.getElementById("line"));
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const give = /** @type {HTMLButtonElement} */ (line.querySelector("[data-path]")), stay = /** @type {HTMLButtonElement} */ (line.querySelector("[data-stay]"));

/** How long an answer is waited for, and how long until it is asked for again, in ms. */
const answerTime = 8000, pause = 1000;
/** After so long without an answer the page says so, in ms. */
const patience = 1500;

/** @type {URLSearchParams | null} */
let waiting = null;
/** Another desk is on its way. */
let leaving = false;
/** What leaves the page once the server answers, its form where it is one, and what had the focus. @type {{form?: HTMLFormElement, at: Element | null} | null} */
let going = null;
/** @type {AbortController | null} */
let asking = null;
let path = "";
/** Counts the commands: what an older one still does is of no interest. */
let turn = 0;
/** What is asked for: "sale" or "hand". */
let what = "sale";

/** @param {string} words "asking sale", "giving hand", …, or "leaving" */
function say(words) {
  for (const text of line.querySelectorAll("[data-says]")) {
    /** @type {HTMLElement} */ (text).hidden = /** @type {HTMLElement} */ (text).dataset.says !== words;
  }
  stay.hidden = words !== "leaving";
  give.hidden = !stay.hidden;
}

/** @param {boolean} on */
function show(on) {
  line.hidden = !on;
  main.inert = on;
  if (on) (going ? stay : give).focus();
}

/**
 * Asks until there is an answer, whatever it is: a page that says nothing of what was asked for is none.
 * @param {URLSearchParams} form
 */
async function ask(form) {
  const mine = ++turn;
  const slow = setTimeout(() => show(true), patience);
  while (mine === turn) {
    asking = new AbortController();
    const late = setTimeout(() => asking?.abort(), answerTime);
    try {
      const answer = await fetch(path, { method: "POST", body: form, headers: { Prefer: "return=minimal" }, signal: asking.signal });
      if (mine !== turn) break;
      if ((answer.status < 500 && answer.status !== 429) || answer.headers.has("Preference-Applied")) return settle(form);
      show(true);
    } catch {
      if (mine !== turn) break;
      show(true);
    } finally {
      clearTimeout(late);
    }
    await new Promise((done) => setTimeout(done, pause));
  }
  clearTimeout(slow);
}

/**
 * Shows the answer: the form is sent once more, as a page. The same keys, the same answer.
 * @param {URLSearchParams} form
 */
function settle(form) {
  const page = document.createElement("form");
  page.method = "post";
  page.action = path;
  page.hidden = true;
  for (const [name, value] of form) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    page.append(field);
  }
  document.body.append(page);
  page.submit();
}

/** Tells whether the server answers, a fault of its own or of what stands before it aside. */
async function answers() {
  const mine = new AbortController(), late = setTimeout(() => mine.abort(), answerTime);
  try {
    const answer = await fetch("/terminal/impressions", { cache: "no-store", signal: mine.signal });
    return answer.status < 500;
  } catch {
    return false;
  } finally {
    clearTimeout(late);
  }
}

/**
 * Leaves the page once the server answers, unless the shopkeeper stays.
 * @param {() => void} next @param {HTMLFormElement} [form]
 */
async function go(next, form) {
  if (going || waiting) return; // a double click
  const mine = going = { form, at: document.activeElement };
  say("leaving");
  const slow = setTimeout(() => { if (going === mine) show(true); }, patience);
  while (going === mine && !await answers()) {
    if (going === mine && line.hidden) show(true);
    await new Promise((done) => setTimeout(done, pause));
  }
  clearTimeout(slow);
  if (going !== mine) return;
  end();
  next();
}

/** Is done with what was to leave the page. */
function end() {
  const at = going?.at, shown = !line.hidden;
  going = null;
  show(false);
  stay.blur();
  if (shown && at instanceof HTMLElement) at.focus({ preventScroll: true });
}

/** Sends a form as its key would have. @param {HTMLFormElement} form @param {HTMLButtonElement | null} key */
function send(form, key) {
  if (!form.isConnected || !form.dispatchEvent(new CustomEvent("goes", { bubbles: true, cancelable: true, detail: key }))) return;
  const value = document.createElement("input");
  value.type = "hidden";
  value.name = key?.name ?? "";
  value.value = key?.value ?? "";
  if (value.name) form.append(value);
  form.submit();
  value.remove(); // what is downloaded leaves the page as it is
  if (form.id !== "sale") return;
  leaving = true;
  setTimeout(() => { leaving = false; }, answerTime);
}

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target), key = /** @type {HTMLButtonElement | null} */ (event.submitter);
  event.preventDefault();
  const sells = form.id === "sale" && key?.value === "sell";
  if (!sells && form.dataset.once === undefined) return void go(() => send(form, key), form);
  if (waiting || leaving || going) return; // a double click; or the desk that is on its way would still have in its basket what is sold meanwhile
  waiting = new URLSearchParams();
  for (const [name, value] of new FormData(form, key)) waiting.append(name, String(value));
  path = /** @type {string} */ (form.getAttribute("action"));
  what = form.dataset.once ?? "sale";
  say(`asking ${what}`);
  void ask(waiting);
});

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a");
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!link || link.target || !/^https?:$/.test(link.protocol) || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  void go(() => location.assign(link.href));
});

give.addEventListener("click", () => {
  if (!waiting || give.disabled) return;
  turn++;
  asking?.abort();
  path = (give.dataset.path ?? "") + new URL(path, location.href).search;
  give.disabled = true;
  say(`giving ${what}`);
  void ask(waiting);
});

stay.addEventListener("click", () => {
  const form = going?.form;
  end();
  form?.dispatchEvent(new CustomEvent("stays"));
});

/** The page does nothing else: while what is asked for has no answer, and while it says that the line is down. */
const held = () => waiting !== null || !line.hidden;

// What is done meanwhile would be on no page.
addEventListener("keydown", (event) => {
  if (!held()) return;
  const key = going ? stay : give;
  event.stopImmediatePropagation();
  if (event.key === "Escape" && !line.hidden) key.click();
  if (event.key !== "Enter" && event.key !== " " && event.key !== "Tab" || event.target !== key) event.preventDefault();
}, { capture: true });
for (const kind of ["click", "drop", "paste"]) {
  addEventListener(kind, (event) => {
    const key = going ? stay : give;
    if (!held() || event.target === key || key.contains(/** @type {Node} */ (event.target))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}

// A page that the browser kept is begun anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
