/** Numbers as the page shows them: short, and the same everywhere. */

export const percent = (x: number, digits = 1): string => `${(100 * x).toFixed(digits)}%`;

export const signed = (x: number, digits = 1): string =>
  `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(digits)}`;

export const fixed = (x: number, digits = 2): string =>
  x < 0 ? `−${Math.abs(x).toFixed(digits)}` : x.toFixed(digits);

export function short(n: number): string {
  if (n < 1000) return `${Math.round(n)}`;
  if (n < 10_000) return `${(n / 1000).toFixed(1)}k`;
  if (n < 1_000_000) return `${Math.round(n / 1000)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}

/** U and the like: as many digits as tell it apart. */
export const term = (x: number): string => (x !== 0 && Math.abs(x) < 0.1 ? fixed(x, 3) : fixed(x, 2));
