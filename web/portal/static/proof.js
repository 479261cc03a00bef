// Checks the records of a draw against the public journal: docs/journal.md is
// all that this program knows. It takes nothing from the page but what it checks.

/** A part of the proof that is wrong, not merely missing. */
class Wrong extends Error {}

const text = new TextEncoder();

/** @param {Uint8Array[]} parts */
function join(...parts) {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) { all.set(p, at); at += p.length; }
  return all;
}

/** @param {Uint8Array[]} parts */
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
/** @param {Uint8Array} record */
const leafHash = (record) => sha256(Uint8Array.of(0), record);
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);
/** @param {Uint8Array} a @param {Uint8Array} b */
const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
/** @param {string} s */
const fromHex = (s) => Uint8Array.from(s.match(/../g) ?? [], (x) => parseInt(x, 16));
/** @param {string} s */
const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));

/**
 * Reads one value of deterministic CBOR: whole numbers as BigInt, byte strings, texts, lists, maps and booleans.
 * @param {Uint8Array} b
 * @returns {any}
 */
export function decode(b) {
  let at = 0;
  /** @returns {any} */
  const value = () => {
    const first = b[at++], major = first >> 5, low = first & 31;
    if (major === 7) {
      if (low === 20 || low === 21) return low === 21;
      throw new Wrong("cbor");
    }
    let n = BigInt(low);
    if (low >= 24) {
      const size = 1 << (low - 24);
      if (low > 27 || at + size > b.length) throw new Wrong("cbor");
      n = 0n;
      for (let i = 0; i < size; i++) n = (n << 8n) | BigInt(b[at++]);
    }
    const size = Number(n);
    switch (major) {
      case 0: return n;
      case 1: return -1n - n;
      case 2: case 3: {
        const bytes = b.subarray(at, (at += size));
        if (bytes.length !== size) throw new Wrong("cbor");
        return major === 2 ? bytes : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      }
      case 4: { const list = []; for (let i = 0; i < size; i++) list.push(value()); return list; }
      case 5: { const map = new Map(); for (let i = 0; i < size; i++) { const k = Number(value()); map.set(k, value()); } return map; }
    }
    throw new Wrong("cbor");
  };
  const v = value();
  if (at !== b.length) throw new Wrong("cbor");
  return v;
}

/** A path of the log has its number in groups of three digits. @param {number} n */
export function grouped(n) {
  let path = String(n % 1000).padStart(3, "0");
  for (n = Math.floor(n / 1000); n > 0; n = Math.floor(n / 1000)) path = "x" + String(n % 1000).padStart(3, "0") + "/" + path;
  return path;
}

/** @param {string} path */
async function read(path) {
  for (let tries = 0; ; tries++) {
    const answer = await fetch("/log/" + path, { cache: "no-store" });
    if (answer.status === 429 && tries < 5) {
      await new Promise((done) => setTimeout(done, 1200));
      continue;
    }
    return answer;
  }
}

/** @type {Map<string, Promise<Uint8Array[] | null>>} */
const bundles = new Map();

/** The records of a bundle; null while it is not public. @param {number} n @param {number} size of the tree */
function bundle(n, size) {
  const width = Math.min(256, size - 256 * n);
  const path = "tile/entries/" + grouped(n) + (width < 256 ? ".p/" + width : "");
  let b = bundles.get(path);
  if (!b) bundles.set(path, (b = readBundle(path)));
  return b;
}

/** @param {string} path */
async function readBundle(path) {
  const answer = await read(path);
  if (answer.status === 403) return null;
  if (!answer.ok) throw new Error("HTTP " + answer.status);
  const b = new Uint8Array(await answer.arrayBuffer()), list = [];
  for (let at = 0; at < b.length;) {
    const size = b[at] * 256 + b[at + 1];
    list.push(b.subarray(at + 2, at + 2 + size));
    at += 2 + size;
  }
  return list;
}

/** The checkpoint of a proof and its path. @param {string} proof */
function parseProof(proof) {
  const [head, ...rest] = proof.split("\n\n");
  const lines = head.split("\n");
  if (lines[0] !== "c2sp.org/tlog-proof@v1") throw new Wrong("proof");
  const index = lines.find((l) => l.startsWith("index "));
  return {
    index: Number(index?.slice(6)),
    hashes: lines.slice(lines.indexOf(index ?? "") + 1).filter((l) => l !== "").map(fromBase64),
    checkpoint: rest.join("\n\n"),
  };
}

/** @param {string} note */
function parseCheckpoint(note) {
  const cut = note.indexOf("\n\n");
  if (cut < 0) throw new Wrong("checkpoint");
  const signed = note.slice(0, cut + 1);
  const [origin, size, root] = signed.split("\n");
  return { signed, origin, size: Number(size), root: fromBase64(root), signatures: note.slice(cut + 2).split("\n").filter((l) => l !== "") };
}

/** Checks the signature of a checkpoint by the key NAME+HASH+BASE64. @param {string} note @param {string} key */
async function checkSigned(note, key) {
  const c = parseCheckpoint(note), [name, , encoded] = key.split("+");
  const keyBytes = fromBase64(key.slice(name.length + 10)), wantHash = (await sha256(text.encode(name + "\n"), keyBytes)).subarray(0, 4);
  if (!encoded || c.origin !== name || keyBytes[0] !== 1) throw new Wrong("key");
  let verify;
  try {
    verify = await crypto.subtle.importKey("raw", keyBytes.slice(1), "Ed25519", false, ["verify"]);
  } catch { return null; } // a browser without Ed25519
  for (const line of c.signatures) {
    const [, signer, b64] = line.split(" ");
    if (signer !== name || !b64) continue;
    const sig = fromBase64(b64);
    if (!equal(sig.subarray(0, 4), wantHash)) continue;
    if (await crypto.subtle.verify("Ed25519", verify, sig.slice(4), text.encode(c.signed))) return c;
  }
  throw new Wrong("signature");
}

/** RFC 9162 §2.1.3.2. @param {number} index @param {number} size @param {Uint8Array} leaf @param {Uint8Array[]} path @param {Uint8Array} root */
async function checkIncluded(index, size, leaf, path, root) {
  if (!(index < size)) throw new Wrong("index");
  let at = index, last = size - 1, h = leaf;
  for (const p of path) {
    if (last === 0) throw new Wrong("path");
    if (at % 2 === 1 || at === last) {
      h = await nodeHash(p, h);
      while (at % 2 === 0 && at !== 0) { at = Math.floor(at / 2); last = Math.floor(last / 2); }
    } else h = await nodeHash(h, p);
    at = Math.floor(at / 2); last = Math.floor(last / 2);
  }
  if (last !== 0 || !equal(h, root)) throw new Wrong("inclusion");
}

/** The root of a list of leaf hashes (RFC 6962 §2.1). @param {Uint8Array[]} leaves @returns {Promise<Uint8Array>} */
export async function rootOf(leaves) {
  if (leaves.length === 0) return sha256(new Uint8Array());
  if (leaves.length === 1) return leaves[0];
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return nodeHash(await rootOf(leaves.slice(0, k)), await rootOf(leaves.slice(k)));
}

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
