/** Points, moves and positions as people write them. */

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

export interface Size {
  width: number;
  height: number;
}

export function vertex(action: number, { width, height }: Size, pass: string): string {
  if (action === width * height) return pass;
  return `${LETTERS[action % width]}${height - Math.floor(action / width)}`;
}

export const columnName = (x: number): string => LETTERS[x] ?? "";

/** Star points of a board, as actions. */
export function starPoints({ width, height }: Size): number[] {
  const lines = (size: number): number[] => {
    if (size < 7) return size % 2 ? [(size - 1) / 2] : [];
    const edge = size >= 13 ? 3 : 2;
    const middle = size % 2 ? [(size - 1) / 2] : [];
    return [edge, ...middle, size - 1 - edge];
  };
  const xs = lines(width);
  const ys = lines(height);
  const all = ys.flatMap((y) => xs.map((x) => ({ x, y })));
  const cornersAndCentre =
    width < 13 || height < 13
      ? all.filter(({ x, y }) => (x === (width - 1) / 2) === (y === (height - 1) / 2))
      : all;
  return cornersAndCentre.map(({ x, y }) => y * width + x);
}

/** Stones after a line of moves, captures taken off; enough to show a variation. */
export function playOut(board: string, size: Size, first: number, line: number[]): string {
  const stones = [...board];
  const { width, height } = size;
  const around = (p: number): number[] => {
    const found: number[] = [];
    if (p % width > 0) found.push(p - 1);
    if (p % width < width - 1) found.push(p + 1);
    if (p >= width) found.push(p - width);
    if (p < width * (height - 1)) found.push(p + width);
    return found;
  };
  const takeIfDead = (start: number): void => {
    const colour = stones[start];
    const group = new Set([start]);
    const waiting = [start];
    while (waiting.length) {
      for (const q of around(waiting.pop()!)) {
        if (stones[q] === ".") return;
        if (stones[q] === colour && !group.has(q)) {
          group.add(q);
          waiting.push(q);
        }
      }
    }
    for (const p of group) stones[p] = ".";
  };
  line.forEach((action, place) => {
    if (action >= width * height) return;
    const mine = (first + place) % 2 ? "O" : "X";
    stones[action] = mine;
    for (const q of around(action)) {
      if (stones[q] !== "." && stones[q] !== mine) takeIfDead(q);
    }
    takeIfDead(action);
  });
  return stones.join("");
}

const PASS = "zz";
const letter = (n: number): string => String.fromCharCode(97 + n);

export function encodeMoves(moves: number[], { width, height }: Size): string {
  return moves
    .map((a) => (a === width * height ? PASS : letter(a % width) + letter(Math.floor(a / width))))
    .join("");
}

export function decodeMoves(text: string, { width, height }: Size): number[] {
  const moves: number[] = [];
  for (let i = 0; i + 1 < text.length; i += 2) {
    const pair = text.slice(i, i + 2);
    if (pair === PASS) moves.push(width * height);
    else {
      const x = pair.charCodeAt(0) - 97;
      const y = pair.charCodeAt(1) - 97;
      if (x >= 0 && x < width && y >= 0 && y < height) moves.push(y * width + x);
    }
  }
  return moves;
}
