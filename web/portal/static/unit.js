// A unit as it was signed: what its text says, the way of the totem over the
// island, and how a prize is written. Nothing here draws.

export const columns = 9, rows = 7;

/** What one square in a direction adds to row and column; directions are 1 (north) to 8 (north-west), clockwise. */
const steps = [[-1, 0], [-1, 1], [0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1]];

/** The symbols of chests, by the number in a text; 0 is an empty chest. */
export const symbols = ["cross", "candlestick", "monkey", "sapphire", "skull"];

/**
 * @typedef {{at: number, symbol: number}} Chest
 * @typedef {{direction: number, squares: number}} Throw
 * @typedef {{start: number, chests: Chest[], throws: Throw[]}} Board
 * @typedef {{record: number, game: string, pool: number, number: number, units: number, unit: number, price: number, prize: number,
 *   seed: string, salt: string, root: string, proof: string[] | null, board: Board | null}} Unit
 * @typedef {{at: number, opens: boolean, symbol: number}} Visit
 */

/**
 * Reads the text of a unit, and throws what is wrong with one that is none.
 * @param {string} text
 * @returns {Unit}
 */
export function readUnit(text) {
	const o = JSON.parse(text);
	/** @param {string} name */
	const whole = (name) => {
		if (!Number.isSafeInteger(o[name]) || o[name] < 0) throw new Error(`${name}: ${o[name]}`);
		return /** @type {number} */ (o[name]);
	};
	/** @param {string} name */
	const word = (name) => {
		if (typeof o[name] !== "string") throw new Error(`${name}: ${o[name]}`);
		return /** @type {string} */ (o[name]);
	};
	if (o.v !== 1) throw new Error(`version ${o.v}`);
	return {
		record: whole("record"), game: word("game"), pool: whole("pool"), number: whole("number"), units: whole("units"), unit: whole("unit"),
		price: whole("price"), prize: whole("prize"), seed: word("seed"), salt: word("salt"), root: word("root"),
		proof: Array.isArray(o.proof) ? o.proof : null,
		board: o.board ? readBoard(o.board) : null,
	};
}

/**
 * @param {{start: number, chests: number[][], throws: number[][]}} o
 * @returns {Board}
 */
function readBoard(o) {
	return {
		start: o.start,
		chests: o.chests.map(([at, symbol]) => ({at, symbol})),
		throws: o.throws.map(([direction, squares]) => ({direction, squares})),
	};
}

/**
 * The squares that the totem passes or stops on, throw by throw, and the chests
 * that open on its way: each but once.
 * @param {Board} board
 * @returns {Visit[][]}
 */
export function visits(board) {
	const open = new Set();
	let row = Math.floor(board.start / columns), column = board.start % columns;
	return board.throws.map(({direction, squares}) => Array.from({length: squares}, () => {
		row += steps[direction - 1][0];
		column += steps[direction - 1][1];
		if (row < 0 || row >= rows || column < 0 || column >= columns) throw new Error("the totem leaves the map");
		const at = row * columns + column;
		const chest = board.chests.find((c) => c.at === at);
		const opens = chest !== undefined && !open.has(at);
		open.add(at);
		return {at, opens, symbol: opens ? chest.symbol : 0};
	}));
}

/**
 * The name of a square: column letter from the west, row from the north.
 * @param {number} at
 */
export const nameOf = (at) => "ABCDEFGHI"[at % columns] + String(Math.floor(at / columns) + 1);

/**
 * An amount as the server's pages write it: "1 234,50 €", "€1,234.50".
 * @param {number} cents
 */
export function money(cents) {
	const sign = cents < 0 ? "−" : "", of = Math.abs(cents);
	const english = document.documentElement.lang === "en";
	const euros = String(Math.floor(of / 100)).replace(/\B(?=(\d{3})+$)/g, english ? "," : "\u202f");
	const rest = String(of % 100).padStart(2, "0");
	return english ? `${sign}€${euros}.${rest}` : `${sign}${euros},${rest}\u00a0€`;
}

/**
 * The same without cents when there are none, for labels.
 * @param {number} cents
 */
export const short = (cents) => cents % 100 === 0 ? money(cents).replace(/[.,]00(?!\d)/, "") : money(cents);

/**
 * A sentence with its words put in: "{n}".
 * @param {string | undefined} sentence "one|many" where n chooses
 * @param {Record<string, string | number>} [words]
 */
export function say(sentence, words = {}) {
	const forms = (sentence ?? "").split("|");
	const form = forms.length > 1 && Number(words.n) > (document.documentElement.lang === "en" && Number(words.n) === 0 ? -1 : 1) ? forms[1] : forms[0];
	return form.replace(/\{(\w+)\}/g, (all, name) => String(words[name] ?? all));
}
