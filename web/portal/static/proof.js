// Checks the records of a draw against the public journal: docs/journal.md is
// all that this program knows. It takes nothing from the page but what it checks.

import {Wrong, bundle, checkIncluded, checkSigned, decode, equal, fromHex, leafHash, parseCheckpoint, parseProof, read, rootOf} from "./log.js";

const kinds = /** @type {Record<string, bigint>} */ ({ planned: 6n, closed: 10n, drawn: 11n, settled: 12n, certified: 13n });

const section = /** @type {HTMLElement} */ (document.querySelector(".proof"));
const say = (/** @type {string} */ name) => section.dataset["say" + name[0].toUpperCase() + name.slice(1)] ?? name;

/**
 * @typedef {{name: string, index: number, record: Uint8Array, kind: bigint, at: bigint, body: Map<number, any>, item: HTMLElement}} Step
 */

/** @returns {Step[]} */
function steps() {
  return [...section.querySelectorAll("li[data-step]")].map((e) => {
    const item = /** @type {HTMLElement} */ (e), record = fromHex(item.dataset.record ?? "");
    const [kind, at, body] = decode(record);
    return { name: item.dataset.step ?? "", index: Number(item.dataset.index), record, kind, at, body, item };
  });
}

/** The elements that the page shows, in the order drawn. */
const shown = () => [...document.querySelectorAll(".scenes section")].flatMap((scene) =>
  [...scene.querySelectorAll("[data-n]")].map((e) => /** @type {HTMLElement} */ (e).dataset)
    .sort((a, b) => Number(a.order) - Number(b.order)).map((d) => d.n)).join(".");

/** Does a record say what the page does, and follow from those before it? @param {Step} s @param {Record<string, Step>} by */
function checkSame(s, by) {
  const d = section.dataset, id = BigInt(d.draw ?? "");
  const must = (/** @type {boolean} */ ok) => { if (!ok) throw new Wrong(s.name); };
  must(s.kind === kinds[s.name]);
  switch (s.name) {
    case "planned":
      must(s.body.get(6).some((/** @type {any[]} */ p) => p[0] === id));
      return;
    case "closed":
      must(s.body.get(2) === BigInt(d.tickets ?? "-1") && s.body.get(4) === BigInt(d.stakes ?? "-1"));
      break;
    case "drawn":
      must(s.body.get(2) === BigInt(by.closed.index));
      must(s.body.get(3).flat().join(".") === shown());
      must((s.body.get(4) ?? 1n) === BigInt(d.times ?? ""));
      break;
    case "settled": {
      must(s.body.get(2) === by.closed.body.get(3) && s.body.get(3) === by.closed.body.get(4));
      const won = s.body.get(4).reduce((/** @type {bigint} */ n, /** @type {bigint[]} */ x) => { must(x[3] * x[4] === x[5]); return n + x[5]; }, 0n);
      must(won === s.body.get(6).reduce((/** @type {bigint} */ n, /** @type {bigint[]} */ x) => n + x[1], 0n));
      break;
    }
  }
  must(s.body.get(1) === id);
}

/** @param {HTMLElement} item @param {"ok" | "bad" | "part"} state @param {string} words */
function line(item, state, words) {
  const li = document.createElement("li");
  li.className = state;
  li.textContent = (state === "ok" ? "✓ " : state === "bad" ? "✗ " : "– ") + words + (state === "bad" ? " : " + say("failed") : "");
  item.querySelector(".checks")?.append(li);
}

/** Runs one check and writes what came of it. @param {HTMLElement} item @param {string} words @param {() => Promise<boolean | null | void>} check null: it cannot be made */
async function attempt(item, words, check) {
  try {
    const got = await check();
    if (got === null) return "part";
    line(item, "ok", words);
    return "ok";
  } catch (err) {
    const bad = err instanceof Wrong || err instanceof SyntaxError || err instanceof DOMException;
    line(item, bad ? "bad" : "part", bad ? words : words + " – " + (err instanceof Error ? err.message : ""));
    return bad ? "bad" : "part";
  }
}

/** @param {Step} s @param {Step | undefined} before @param {Record<string, Step>} by */
async function checkStep(s, before, by) {
  /** @type {string[]} */
  const got = [];
  let size = 0;
  got.push(await attempt(s.item, say("included"), async () => {
    const answer = await read("proof/" + s.index);
    if (!answer.ok) throw new Error("HTTP " + answer.status);
    const proof = parseProof(await answer.text());
    const c = parseCheckpoint(proof.checkpoint);
    if (proof.index !== s.index) throw new Wrong("index");
    await checkIncluded(s.index, c.size, await leafHash(s.record), proof.hashes, c.root);
    size = c.size;
    const signed = await attempt(s.item, say("signed"), async () => (await checkSigned(proof.checkpoint, section.dataset.key ?? "")) && true);
    if (signed === "part") line(s.item, "part", say("cannot"));
    got.push(signed);
  }));
  if (size > 0) {
    got.push(await attempt(s.item, say("leaf"), async () => {
      const list = await bundle(Math.floor(s.index / 256), size);
      if (!list) { line(s.item, "part", say("hidden")); return null; }
      if (!list[s.index % 256] || !equal(list[s.index % 256], s.record)) throw new Wrong("record");
    }) === "bad" ? "bad" : "ok"); // a bundle that is not public yet takes nothing from the proof of its hash
  }
  got.push(await attempt(s.item, say("same"), async () => {
    try { checkSame(s, by); } catch { throw new Wrong(s.name); } // a record of another form says something else
  }));
  if (before) got.push(await attempt(s.item, say("order"), async () => { if (before.index >= s.index || before.at > s.at) throw new Wrong("order"); }));
  const worst = got.includes("bad") ? "bad" : got.includes("part") ? "part" : "ok";
  s.item.classList.add(worst);
  const tick = s.item.querySelector(".tick");
  if (tick) tick.textContent = worst === "ok" ? "✓" : worst === "bad" ? "✗" : "–";
  return worst;
}

/** How many records a browser reads at most to count the stakes again. */
const countMax = 100_000;

/** Counts the tickets and stakes of the draw again, from all sales since its plan. @param {Step} plan @param {Step} close */
async function recount(plan, close) {
  const out = /** @type {HTMLElement} */ (document.querySelector("#counted")), id = BigInt(section.dataset.draw ?? "");
  const number = (/** @type {number} */ n) => n.toLocaleString(section.dataset.lang);
  if (close.index - plan.index > countMax) {
    out.textContent = say("toolong").replace("{records}", number(close.index - plan.index));
    return;
  }
  out.textContent = say("count");
  const leaves = [];
  let tickets = 0n, stakes = 0n, cancelled = 0n, parts = 0n;
  for (let n = Math.floor(plan.index / 256); n <= Math.floor(close.index / 256); n++) {
    const last = 256 * n + 255 > close.index;
    const list = await bundle(n, last ? close.index + 1 : 256 * (n + 1)); // only what was there at the close
    if (!list) { out.textContent = say("notpublic"); return; }
    for (const record of list) {
      const [kind, , body] = decode(record);
      if ((kind !== 8n && kind !== 9n) || !body.get(8).includes(id)) continue;
      leaves.push(await leafHash(record));
      const draws = BigInt(body.get(8).length), price = body.get(kind === 8n ? 10 : 9), sign = kind === 8n ? 1n : -1n;
      if (price % draws !== 0n) throw new Wrong("price");
      tickets += sign;
      stakes += sign * (price / draws);
      parts += (sign * (price / draws)) / (body.get(kind === 8n ? 6 : 7) * BigInt(section.dataset.unit ?? "1"));
      if (kind === 9n) cancelled++;
    }
  }
  const agrees = tickets === close.body.get(2) && parts === close.body.get(3) && stakes === close.body.get(4) &&
    cancelled === close.body.get(5) && equal(await rootOf(leaves), close.body.get(6));
  out.classList.add(agrees ? "ok" : "bad");
  const euros = (Number(stakes) / 100).toLocaleString(section.dataset.lang, { style: "currency", currency: "EUR" });
  out.textContent = agrees ? "✓ " + say("counted").replace("{tickets}", number(Number(tickets))).replace("{stakes}", euros) : "✗ " + say("miscounted");
}

async function main() {
  const verdict = /** @type {HTMLElement} */ (document.querySelector("#verdict"));
  verdict.textContent = say("busy");
  const list = steps(), by = Object.fromEntries(list.map((s) => [s.name, s]));
  const got = [];
  for (const [i, s] of list.entries()) got.push(await checkStep(s, list[i - 1], by));
  const worst = got.includes("bad") ? "bad" : got.includes("part") ? "part" : "ok";
  verdict.classList.add(worst);
  verdict.textContent = say(worst === "ok" ? "all" : worst === "bad" ? "bad" : "some");
  if (by.planned && by.closed) {
    const box = /** @type {HTMLElement} */ (document.querySelector(".count")), key = /** @type {HTMLButtonElement} */ (document.querySelector("#recount"));
    box.hidden = false;
    key.addEventListener("click", async () => {
      key.disabled = true;
      try { await recount(by.planned, by.closed); } catch { const out = /** @type {HTMLElement} */ (document.querySelector("#counted")); out.className = "fact bad"; out.textContent = "✗ " + say("miscounted"); }
      key.disabled = false;
    });
  }
}

main().catch(() => {
  const verdict = document.querySelector("#verdict");
  verdict?.classList.add("bad");
  if (verdict) verdict.textContent = say("bad");
});
