import { codewordsOf } from './qr-codewords.ts';

/** Where the small squares stand, along both edges, by version. */
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
];
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
/** From this version on the code says its own version. */
const VERSION_TOLD = 7;
/** Light modules around it; where it is shown there is as much again, and scanners need four. */
const QUIET = 2;

/** Dark, light, or nothing drawn there yet; rows of columns. */
type Grid = (boolean | undefined)[][];

const put = (grid: Grid, x: number, y: number, isDark: boolean): void => {
  const row = grid[y];
  if (row && x >= 0 && x < row.length) row[x] = isDark;
};

/** A square of rings around a middle: dark but for the rings named. */
function rings(grid: Grid, x: number, y: number, reach: number, light: readonly number[]): void {
  for (let dy = -reach; dy <= reach; dy += 1)
    for (let dx = -reach; dx <= reach; dx += 1)
      put(grid, x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
}

/** Bits followed by the rest of their division, as BCH codes are. */
function withRest(value: number, generator: number, degree: number): number {
  let rest = value << degree;
  for (let bit = 31 - Math.clz32(rest); bit >= degree; bit = 31 - Math.clz32(rest)) rest ^= generator << (bit - degree);
  return (value << degree) | rest;
}

const bitOf = (value: number, bit: number): boolean => ((value >> bit) & 1) === 1;

/** Correction of level M (whose bits are 00) and the mask, twice. */
function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  const format = withRest(mask, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = bitOf(format, bit);
    const along = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    put(grid, 8, along, isDark);
    put(grid, bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, isDark);
  }
  put(grid, 8, size - 8, true);
}

function drawPatterns(grid: Grid, version: number): void {
  const size = grid.length;
  for (let place = 0; place < size; place += 1) {
    put(grid, 6, place, place % 2 === 0);
    put(grid, place, 6, place % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    rings(grid, x, y, 4, [2, 4]);
  const places = ALIGNMENT[version - 1] ?? [];
  const last = places.at(-1);
  for (const x of places)
    for (const y of places) {
      const isCorner = (x === 6 && (y === 6 || y === last)) || (y === 6 && x === last);
      if (!isCorner) rings(grid, x, y, 2, [1]);
    }
  drawFormat(grid, 0);
  if (version < VERSION_TOLD) return;
  const told = withRest(version, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit += 1) {
    const [near, far] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
    put(grid, near, far, bitOf(told, bit));
    put(grid, far, near, bitOf(told, bit));
  }
}

/** Writes the bits in columns of two, up and down, from the right. */
function drawData(grid: Grid, bytes: readonly number[], mask: number): void {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step;
        if (grid[y]?.[x] !== undefined) continue;
        const isDark = bitOf(bytes[bit >> 3] ?? 0, 7 - (bit & 7));
        put(grid, x, y, isDark !== (MASKS[mask]?.(x, y) ?? false));
        bit += 1;
      }
  }
}

/** How hard it is to read: long runs, blocks of one colour, too much of one. */
function faultsOf(grid: Grid): number {
  let faults = 0;
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x]))];
  for (const line of lines) {
    const runs = line.map((cell) => (cell ? '1' : '0')).join('');
    for (const [run] of runs.matchAll(/0{5,}|1{5,}/g)) faults += run.length - 2;
    faults += 40 * [...runs.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (const [y, row] of grid.slice(1).entries())
    for (const [x, cell] of row.slice(1).entries())
      if ([row[x], grid[y]?.[x], grid[y]?.[x + 1]].every((other) => other === cell)) faults += 3;
  const dark = grid.flat().filter(Boolean).length / grid.length ** 2;
  return faults + Math.floor(Math.abs(dark - 0.5) * 20) * 10;
}

function drawn(version: number, bytes: readonly number[], mask: number): Grid {
  const size = version * 4 + 17;
  const grid: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  drawPatterns(grid, version);
  drawData(grid, bytes, mask);
  drawFormat(grid, mask);
  return grid;
}

/**
 * A QR code of a text, correction M, as SVG markup with its quiet zone.
 * @returns undefined for more than 180 bytes
 */
export function qrSvg(text: string): string | undefined {
  const words = codewordsOf(text);
  if (!words) return undefined;
  const grids = MASKS.map((_, mask) => drawn(words.version, words.bytes, mask));
  const [best = []] = grids.toSorted((one, other) => faultsOf(one) - faultsOf(other));
  const path = best
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('');
  const size = best.length + 2 * QUIET;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
}
