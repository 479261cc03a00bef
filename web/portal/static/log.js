// Reads the public journal in the viewer's own browser and checks what it says of a record: docs/journal.md is all that it knows.

/** A part of the proof that is wrong, not merely missing. */
export class Wrong extends Error {}

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
export const leafHash = (record) => sha256(Uint8Array.of(0), record);
/** @param {Uint8Array} left @param {Uint8Array} right */
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);
/** @param {Uint8Array} a @param {Uint8Array} b */
export const equal = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
/** @param {string} s */
export const fromHex = (s) => Uint8Array.from(s.match(/../g) ?? [], (x) => parseInt(x, 16));
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
export async function read(path) {
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
export function bundle(n, size) {
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
export function parseProof(proof) {
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
export function parseCheckpoint(note) {
  const cut = note.indexOf("\n\n");
  if (cut < 0) throw new Wrong("checkpoint");
  const signed = note.slice(0, cut + 1);
  const [origin, size, root] = signed.split("\n");
  return { signed, origin, size: Number(size), root: fromBase64(root), signatures: note.slice(cut + 2).split("\n").filter((l) => l !== "") };
}

/** Checks the signature of a checkpoint by the key NAME+HASH+BASE64. @param {string} note @param {string} key */
export async function checkSigned(note, key) {
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
export async function checkIncluded(index, size, leaf, path, root) {
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
