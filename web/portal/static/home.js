// Counts down to the next draws. The page says their times without it.
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const skew = Date.now() - Date.parse(main.dataset.now ?? ""); // the viewer's clock may be off
const counters = [...document.querySelectorAll("[data-until]")].map((e) => ({
  box: /** @type {HTMLElement} */ (e), text: /** @type {HTMLElement} */ (e.querySelector("b")), until: Date.parse(/** @type {HTMLElement} */ (e).dataset.until ?? ""),
}));

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

let over = false;
function tick() {
  const now = Date.now() - skew;
  for (const c of counters) {
    const left = Math.max(0, Math.ceil((c.until - now) / 1000));
    const hours = Math.floor(left / 3600);
    c.text.textContent = (hours ? hours + ":" : "") + two(Math.floor(left / 60) % 60) + ":" + two(left % 60);
    c.box.hidden = false;
    if (left === 0 && !over) {
      over = true; // the next draw, its jackpot and the last result are the server's to say
      setTimeout(() => location.reload(), 4000 + 3000 * Math.random());
    }
  }
}
if (counters.length) {
  tick();
  setInterval(tick, 1000);
}
