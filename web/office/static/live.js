// Keeps the figures of the page fresh: it asks for the page again and takes from
// it what is marked data-live. Nothing else is touched, so a place in the page and
// what is typed in it stay. Without script the page shows what it was loaded with.
// @ts-check

const every = 4000; // ms
const down = /** @type {HTMLElement} */ (document.getElementById("down"));

/**
 * The parts of a page that live, by name.
 * @param {Document} page
 * @returns {Map<string, Element>}
 */
function parts(page) {
  return new Map([...page.querySelectorAll("[data-live]")].map((e) => [e.getAttribute("data-live") ?? "", e]));
}

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(location.href, {signal: AbortSignal.timeout(3 * every)});
  if (answer.redirected) { // signed off
    location.reload();
    return;
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const fresh = parts(new DOMParser().parseFromString(await answer.text(), "text/html"));
  const shown = parts(document);
  for (const [name, e] of fresh) {
    const old = shown.get(name);
    if (old && old.innerHTML !== e.innerHTML) old.replaceChildren(...e.childNodes);
  }
  if ([...fresh.keys()].join() !== [...shown.keys()].join()) location.reload(); // a table has come or gone
}

async function live() {
  try {
    await refresh();
    down.hidden = true;
  } catch {
    down.hidden = false;
  }
  setTimeout(live, every);
}

setTimeout(live, every);
