/**
 * Creates the font files of the app from Noto Sans Thai and Lao (OFL-1.1): one file per writing system, weights 400 to
 * 700, and only the characters used by the product. Run it manually when the characters change; the output is committed
 * in src/styles/fonts. Usage: `node build/fonts.ts`. With `--system DIR` it writes the same subsets as system fonts for
 * measurements: phones have such fonts, servers don't. With `--pdf` it writes the static fonts of PDF files into the
 * server's statement module.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import subsetFont from 'subset-font';

const require = createRequire(import.meta.url);
const { system: systemFolder, pdf: isPdf } = parseArgs({
  options: { system: { type: 'string' }, pdf: { type: 'boolean' } },
}).values;
const isWeb = systemFolder === undefined && !isPdf;
const ownFolder = isPdf ? '../../server/src/modules/statement/fonts' : '../src/styles/fonts';
const targetFolder = systemFolder ?? join(import.meta.dirname, ownFolder);
await mkdir(targetFolder, { recursive: true });

const characterRange = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('');

const latinCharacters = `${characterRange(0x20, 0x7e)}\u00a0·×÷±°–—‘’“”…•€`;
/** Names of members and banks may have accents. */
const pdfLatinCharacters = `${latinCharacters}${characterRange(0xa1, 0xff)}−`;
const subsets = [
  { name: 'latin', source: 'thai/files/noto-sans-thai-latin', text: isPdf ? pdfLatinCharacters : latinCharacters },
  {
    name: 'thai',
    source: 'thai/files/noto-sans-thai-thai',
    text: `${characterRange(0x0e01, 0x0e3a)}${characterRange(0x0e3f, 0x0e5b)}◌`,
  },
  { name: 'lao', source: 'lao/files/noto-sans-lao-lao', text: `${characterRange(0x0e80, 0x0edf)}◌` },
  { name: 'kip', source: 'lao/files/noto-sans-lao-latin-ext', text: '₭' },
];

for (const { name, source, text } of subsets) {
  const font = await readFile(require.resolve(`@fontsource-variable/noto-sans-${source}-wght-normal.woff2`));
  const subset = await subsetFont(font, text, {
    targetFormat: isWeb ? 'woff2' : 'sfnt',
    noHinting: true,
    variationAxes: { wght: isPdf ? 400 : { min: 400, max: 700 } },
  });
  await writeFile(join(targetFolder, `${name}.${isWeb ? 'woff2' : 'ttf'}`), subset);
  console.log(`${name.padEnd(6)} ${String(subset.length).padStart(6)} B`);
}
