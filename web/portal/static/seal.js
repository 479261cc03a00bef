// What the browser itself can check of a unit: that the system signed its text,
// and that the text opens a leaf of the tree that its pool was committed with.

/** @param {string} hex */
export const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (b) => parseInt(b, 16));

/** @param {Uint8Array} b */
export const toHex = (b) => Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");

/** @param {string} text */
const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/**
 * Whether a text is signed by a key (Ed25519): "valid", "forged", or "unknown"
 * where the browser cannot tell.
 * @param {string} key 32 bytes in hex
 * @param {string} text
 * @param {string} signature in base64
 * @returns {Promise<"valid" | "forged" | "unknown">}
 */
export async function verify(key, text, signature) {
	/** @type {CryptoKey} */
	let imported;
	try {
		imported = await crypto.subtle.importKey("raw", fromHex(key), {name: "Ed25519"}, false, ["verify"]);
	} catch {
		return "unknown"; // no Ed25519, or no crypto outside of encrypted connections
	}
	try {
		return await crypto.subtle.verify({name: "Ed25519"}, imported, fromBase64(signature), new TextEncoder().encode(text)) ? "valid" : "forged";
	} catch {
		return "forged";
	}
}

/** @param {Uint8Array<ArrayBuffer>[]} parts */
async function hash(...parts) {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

/**
 * The hash of a unit's leaf: SHA-256 of 0 ‖ number ‖ prize ‖ board seed ‖ salt (RFC 6962).
 * @param {{unit: number, prize: number, seed: string, salt: string}} unit
 */
export async function leafHash(unit) {
	const head = new DataView(new ArrayBuffer(17));
	head.setBigUint64(1, BigInt(unit.unit));
	head.setBigUint64(9, BigInt(unit.prize));
	return hash(new Uint8Array(head.buffer), fromHex(unit.seed), fromHex(unit.salt));
}

/**
 * The root that a leaf, its place and its proof lead to (RFC 9162, 2.1.3.2); null when the place is outside, or the proof of another length.
 * @param {Uint8Array<ArrayBuffer>} leaf
 * @param {number} index
 * @param {number} size
 * @param {string[]} proof
 */
export async function rootOf(leaf, index, size, proof) {
	const node = new Uint8Array([1]);
	if (index >= size) return null;
	let fn = index, sn = size - 1, r = leaf;
	for (const step of proof) {
		if (sn === 0) return null;
		const p = fromHex(step);
		if (fn % 2 === 1 || fn === sn) {
			r = await hash(node, p, r);
			while (fn % 2 === 0 && fn !== 0) {
				fn = Math.floor(fn / 2);
				sn = Math.floor(sn / 2);
			}
		} else {
			r = await hash(node, r, p);
		}
		fn = Math.floor(fn / 2);
		sn = Math.floor(sn / 2);
	}
	return sn === 0 ? r : null;
}
