// What a slip would cost, computed from its marks alone, so that the price is
// there at each click. The rules are the server's: what this page takes for
// right is asked of them again, and what is sold costs what they say.
// @ts-check

/**
 * A matrix as ticked: how many of it, and in each of its columns, if it has any.
 * Most is how many of it a play may have.
 * @typedef {{key: string, pick: number, most: number, ticked: number, columns: number[], also: boolean}} Matrix
 * @typedef {{matrices: Matrix[], shapes: string[], alone: boolean, slip: boolean, boards: {combinations: number, shape: string}[], stake: number, draws: number, left: number,
 *   stakes: number[], counts: number[], limit: number, scope: string, plays: string}} Marks
 * @typedef {{id: string, words: Record<string, string | number>, columns: number[]}} Fault
 * @typedef {{name: "stake" | "draws", value: number, price: number}} Fit
 * @typedef {{price: number, limit: number, fits: Fit[], most: number}} Over
 * @typedef {{combinations: number, stake: number, perDraw: number, total: number, fault: Fault | null, over: Over | null}} Quote
 */

/**
 * How many combinations the board being filled in stands for; 0 while it is not complete.
 * @param {Marks} m
 * @returns {{combinations: number, fault: Fault | null}}
 */
export function combinationsOf(m) {
  let combinations = 1;
  for (const x of m.matrices) {
    if (x.also) {
      combinations *= x.ticked > x.most ? 0 : x.ticked;
    } else if (x.columns.length > 0) {
      const {of, fault} = columnsOf(m, x);
      if (fault) return {combinations: 0, fault};
      combinations *= of;
    } else if (x.ticked !== x.pick) combinations = 0;
  }
  const several = m.matrices.some((x) => x.also && x.ticked > 1);
  const simple = m.matrices.every((x) => x.columns.every((n) => n <= 1));
  if (several && simple && !m.alone && m.shapes.length > 0 && combinations > 0) return {combinations: 0, fault: {id: "Alone", words: {}, columns: []}};
  const shape = m.matrices.map(shapeOf).find(Boolean) ?? "", before = m.boards.find((b) => b.shape)?.shape ?? "";
  if (m.slip && combinations > 0 && shape && before && shape !== before) {
    return {combinations: 0, fault: {id: "Shapes", words: {shape: shape.replace("x", "×"), before: before.replace("x", "×")}, columns: []}};
  }
  return {combinations, fault: null};
}

/** The shape of what is ticked in a matrix, "2x3"; "": a simple combination. @param {Matrix} x */
function shapeOf(x) {
  const most = Math.max(1, ...x.columns), wide = x.columns.filter((n) => n > 1).length;
  return wide > 0 ? `${most - 1}x${wide}` : "";
}

/**
 * The combinations of a matrix with columns; said at once when no more ticks could make its extras right.
 * @param {Marks} m
 * @param {Matrix} x
 * @returns {{of: number, fault: Fault | null}}
 */
function columnsOf(m, x) {
  const extras = x.columns.map((n) => Math.max(0, n - 1));
  const most = Math.max(...extras), wide = extras.filter((n) => n > 0).length;
  if (most === 0) return {of: x.columns.includes(0) ? 0 : 1, fault: null};
  if (x.most === x.pick) return {of: 0, fault: {id: "Single", words: {}, columns: extras.flatMap((n, i) => n > 0 ? [i] : [])}};
  const full = m.shapes.filter((s) => {
    const [more, columns] = s.split("x").map(Number);
    return more >= most && columns >= wide;
  });
  const columns = extras.flatMap((n, i) => n > 0 ? [i] : []);
  if (full.length === 0) {
    return {of: 0, fault: {id: "Shape", words: {shape: `${most}×${wide}`, extras: most, columns: wide, allowed: m.shapes.join(", ").replaceAll("x", "×")}, columns}};
  }
  const equal = extras.every((n) => n === 0 || n === most);
  if (x.columns.includes(0)) return {of: 0, fault: null}; // still being marked
  if (!equal) {
    return {of: 0, fault: {id: "Unequal", words: {extras: extras.filter((n) => n > 0).join(" · ")}, columns: extras.flatMap((n, i) => n > 0 && n < most ? [i] : [])}};
  }
  return m.shapes.includes(`${most}x${wide}`) ? {of: (most + 1) ** wide, fault: null} : {of: 0, fault: {id: "Shape", words: {shape: `${most}×${wide}`, allowed: m.shapes.join(", ").replaceAll("x", "×")}, columns}};
}

/**
 * What the slip would cost, in cents, and what would still fit when that is too much.
 * @param {Marks} m
 * @returns {Quote}
 */
export function quoteOf(m) {
  const board = combinationsOf(m);
  const all = [...m.boards.map((b) => b.combinations), ...(board.combinations > 0 ? [board.combinations] : [])];
  const combinations = all.reduce((sum, n) => sum + n, 0);
  const draws = Math.min(m.draws, m.left);
  const quote = {combinations, stake: m.stake, perDraw: m.stake * combinations, total: m.stake * combinations * draws, fault: board.fault, over: null};
  return m.limit > 0 ? {...quote, over: overOf(m, all)} : quote;
}

/**
 * What is too much for the limit of a play, and what would fit: null when it is not.
 * @param {Marks} m
 * @param {number[]} boards
 * @returns {Over | null}
 */
function overOf(m, boards) {
  const counted = boards.filter((n) => m.plays === "all" || n > 1).reduce((sum, n) => sum + n, 0);
  const all = boards.reduce((sum, n) => sum + n, 0);
  const compared = (/** @type {number} */ stake, /** @type {number} */ draws) => stake * counted * (m.scope === "draw" ? 1 : draws);
  const stake = m.stake || m.stakes[0], draws = m.draws || m.counts[0];
  if (compared(stake, draws) <= m.limit) return null;
  /** @type {Fit[]} */
  const fits = [];
  const fewer = m.counts.filter((n) => n < draws && compared(stake, n) <= m.limit).at(-1);
  if (fewer && m.draws) fits.push({name: "draws", value: fewer, price: stake * all * fewer});
  const lower = m.stakes.filter((n) => n < stake && compared(n, draws) <= m.limit).at(-1);
  if (lower && m.stake) fits.push({name: "stake", value: lower, price: lower * all * draws});
  return {price: compared(stake, draws), limit: m.limit, fits, most: Math.floor(m.limit / (stake * (m.scope === "draw" ? 1 : draws)))};
}
