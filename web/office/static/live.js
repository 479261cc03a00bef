// Keeps the page fresh: it asks for the page again and takes from it what is
// marked data-live. Nothing else is touched, so a place in the page and what is
// typed in it stay; what says data-as is taken only when that has changed. When
// tables come or go, the day is taken as a whole. What is told aloud (stopped,
// alarm, waiting) stands in regions that are always there, or nobody would hear
// it. Without script the page shows what it was loaded with.
// @ts-check

const every = 4000; // ms
const down = /** @type {HTMLElement} */ (document.getElementById("down"));
let next = 0; // the timer of the next time
let asking = false;

/**
 * The parts of a page that live, by name.
 * @param {ParentNode} page
 * @returns {Map<string, Element>}
 */
function parts(page) {
  return new Map([...page.querySelectorAll("[data-live]")].map((e) => [e.getAttribute("data-live") ?? "", e]));
}

/** @param {Document} page */
const day = (page) => /** @type {HTMLElement} */ (page.getElementById("day"));

/** @param {Document} page */
const names = (page) => [...parts(day(page)).keys()].join();

/**
 * Takes over a page that was asked for.
 * @param {Document} page
 */
function show(page) {
  if (names(page) !== names(document)) day(document).replaceChildren(...day(page).childNodes); // a table has come or gone
  const shown = parts(document);
  for (const [name, e] of parts(page)) {
    const old = shown.get(name);
    if (!old || old.innerHTML === e.innerHTML) continue;
    const as = e.getAttribute("data-as");
    if (as !== null && as === old.getAttribute("data-as")) continue;
    if (as !== null) old.setAttribute("data-as", as);
    old.replaceChildren(...e.childNodes);
  }
}

async function refresh() {
  const answer = await fetch(location.href, {signal: AbortSignal.timeout(3 * every)});
  if (answer.redirected) { // signed off: the line stands, and what is shown is no longer for who looks
    location.replace(answer.url);
    return;
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  show(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

async function live() {
  clearTimeout(next);
  if (!document.hidden && !asking) { // of a hidden page nothing is asked, nothing is known
    asking = true;
    try {
      await refresh();
      down.hidden = true;
    } catch {
      down.hidden = false;
    }
    asking = false;
  }
  clearTimeout(next);
  next = setTimeout(live, every * (0.75 + Math.random() / 2)); // not all pages at once
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) live(); });
next = setTimeout(live, every);
