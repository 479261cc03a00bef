// Checks that the sale of a ticket is in the public journal, and, once it is
// published, that it says what the page does: docs/journal.md is all that this program knows.

import {Wrong, bundle, checkIncluded, checkSigned, decode, equal, fromHex, leafHash, parseCheckpoint, parseProof, read} from "./log.js";

const section = /** @type {HTMLElement} */ (document.querySelector("#preuve"));
const {key = "", index: indexText = "", leaf: leafText = "", record: recordText = "", plays, letters, draws, units = "", price = ""} = section.dataset;
const index = Number(indexText), leaf = fromHex(leafText), record = fromHex(recordText);
const say = (/** @type {string} */ name) => section.dataset["say" + name[0].toUpperCase() + name.slice(1)] ?? name;
const verdict = /** @type {HTMLElement} */ (section.querySelector(".verdict"));

/** @param {"ok" | "bad" | "part"} state @param {string} words */
function line(state, words) {
  const li = document.createElement("li");
  li.className = state;
  li.textContent = (state === "ok" ? "✓ " : state === "bad" ? "✗ " : "– ") + words + (state === "bad" ? " : " + say("failed") : "");
  section.querySelector(".checks")?.append(li);
  return state;
}

/** Runs a check and writes what came of it. @param {string} name @param {() => Promise<string | void>} check what it returns is said instead: it could not be made */
async function attempt(name, check) {
  try {
    const instead = await check();
    return instead ? line("part", instead) : line("ok", say(name));
  } catch (err) {
    const bad = err instanceof Wrong || err instanceof SyntaxError || err instanceof DOMException;
    return line(bad ? "bad" : "part", bad ? say(name) : say(name) + " – " + (err instanceof Error ? err.message : ""));
  }
}

/** The record says what the page does. */
function checkSame() {
  const [kind, , body] = decode(record);
  const said = kind === 8n ? body.get(5).map((/** @type {bigint[][][]} */ p) => p[0].map((m) => m.join(".")).join("-")).join(" ") : "";
  if (said !== plays || (body.get(12) ?? []).join(".") !== letters || body.get(8).join(".") !== draws || body.get(6) !== BigInt(units) || body.get(10) !== BigInt(price)) throw new Wrong("same");
}

async function check() {
  verdict.textContent = say("busy");
  /** @type {string[]} */
  const got = [];
  let size = 0, note = "";
  got.push(await attempt("included", async () => {
    const answer = await read("proof/" + index);
    if (!answer.ok) throw new Error("HTTP " + answer.status);
    const proof = parseProof(await answer.text());
    const c = parseCheckpoint(proof.checkpoint);
    if (proof.index !== index) throw new Wrong("index");
    await checkIncluded(index, c.size, leaf, proof.hashes, c.root);
    size = c.size;
    note = proof.checkpoint;
  }));
  if (note) got.push(await attempt("signed", async () => { if (!(await checkSigned(note, key))) return say("cannot"); }));
  if (record.length > 0) {
    got.push(await attempt("leaf", async () => { if (!equal(await leafHash(record), leaf)) throw new Wrong("leaf"); }));
    got.push(await attempt("same", async () => { try { checkSame(); } catch { throw new Wrong("same"); } }));
    if (size > 0) {
      const published = await attempt("published", async () => {
        const list = await bundle(Math.floor(index / 256), size);
        if (!list) return say("hidden");
        if (!list[index % 256] || !equal(list[index % 256], record)) throw new Wrong("record");
      });
      if (published === "bad") got.push(published); // a bundle that is not public yet takes nothing from the proof of its hash
    }
  }
  const worst = got.includes("bad") ? "bad" : got.includes("part") ? "some" : "all";
  verdict.textContent = say(worst);
  verdict.dataset.is = worst;
}
check();
