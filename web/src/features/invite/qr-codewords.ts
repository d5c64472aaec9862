/**
 * Error correction of level M by version: check bytes of each block, and how many data bytes each block holds. Nine
 * versions carry 180 bytes, which is more than any link of a site needs.
 */
const VERSIONS: readonly (readonly [check: number, blocks: readonly number[]])[] = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
];

const BYTE_MODE = 0b0100;
/** Mode and length take twelve bits, the end of the text up to four more. */
const HEAD_BYTES = 2;
const PADDING = [0xec, 0x11];

const FIELD = 0x11d;
const powers: number[] = [];
const logarithms: number[] = [];
for (let power = 0, value = 1; power < 255; power += 1) {
  powers[power] = value;
  logarithms[value] = power;
  value = value & 0x80 ? (value << 1) ^ FIELD : value << 1;
}

const times = (one: number, other: number): number =>
  one === 0 || other === 0 ? 0 : (powers[((logarithms[one] ?? 0) + (logarithms[other] ?? 0)) % 255] ?? 0);

/** The check bytes of a block (Reed–Solomon over the field of 256). */
function checkOf(data: readonly number[], degree: number): number[] {
  let generator = [1];
  for (let root = 0; root < degree; root += 1) {
    const next = [...generator, 0];
    for (const [place, value] of generator.entries())
      next[place + 1] = (next[place + 1] ?? 0) ^ times(value, powers[root] ?? 0);
    generator = next;
  }
  const rest = Array.from({ length: degree }, () => 0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const place of rest.keys()) rest[place] = (rest[place] ?? 0) ^ times(generator[place + 1] ?? 0, factor);
  }
  return rest;
}

/** Mode, length, the text, its end, and what fills up the rest. */
function dataOf(bytes: Uint8Array, capacity: number): number[] {
  const bits = `${BYTE_MODE.toString(2).padStart(4, '0')}${[bytes.length, ...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')}0000`;
  const data = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  for (let filled = 0; data.length < capacity; filled += 1) data.push(PADDING[filled % 2] ?? 0);
  return data;
}

/** Takes the first byte of each block, then the second of each, and so on. */
function interleaved(blocks: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, place) => blocks.flatMap((block) => block.slice(place, place + 1))).flat();
}

/** @returns the smallest version that holds a text, and the bytes that it draws; undefined when it is too long */
export function codewordsOf(text: string): { version: number; bytes: number[] } | undefined {
  const bytes = new TextEncoder().encode(text);
  const index = VERSIONS.findIndex(
    ([, blocks]) => blocks.reduce((sum, size) => sum + size, 0) >= bytes.length + HEAD_BYTES,
  );
  const [check, sizes] = VERSIONS[index] ?? [0, []];
  if (sizes.length === 0) return undefined;
  const data = dataOf(
    bytes,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const blocks = sizes.map((size) => data.splice(0, size));
  return {
    version: index + 1,
    bytes: [...interleaved(blocks), ...interleaved(blocks.map((block) => checkOf(block, check)))],
  };
}
