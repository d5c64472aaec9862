/**
 * Cuts the fonts that the app serves: one design (Noto Sans Thai and Lao, OFL-1.1), one file per script, weights 400 to
 * 700 in each, and only the characters that the product writes. Run by hand when the characters change; the results
 * stand in src/styles/fonts. `node build/fonts.ts`; `--system DIR` writes them as fonts of a system, which phones have and
 * servers have not, for measurements.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import subsetFont from 'subset-font';

const require = createRequire(import.meta.url);
const { system } = parseArgs({ options: { system: { type: 'string' } } }).values;
const target = system ?? join(import.meta.dirname, '../src/styles/fonts');
await mkdir(target, { recursive: true });

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('');

const latin = `${range(0x20, 0x7e)}\u00a0·×÷±°–—‘’“”…•€`;
const cuts = [
  { name: 'latin', source: 'thai/files/noto-sans-thai-latin', text: latin },
  { name: 'thai', source: 'thai/files/noto-sans-thai-thai', text: `${range(0x0e01, 0x0e3a)}${range(0x0e3f, 0x0e5b)}◌` },
  { name: 'lao', source: 'lao/files/noto-sans-lao-lao', text: `${range(0x0e80, 0x0edf)}◌` },
  { name: 'kip', source: 'lao/files/noto-sans-lao-latin-ext', text: '₭' },
];

for (const { name, source, text } of cuts) {
  const font = await readFile(require.resolve(`@fontsource-variable/noto-sans-${source}-wght-normal.woff2`));
  const cut = await subsetFont(font, text, {
    targetFormat: system === undefined ? 'woff2' : 'sfnt',
    noHinting: true,
    variationAxes: { wght: { min: 400, max: 700 } },
  });
  await writeFile(join(target, `${name}.${system === undefined ? 'woff2' : 'ttf'}`), cut);
  console.log(`${name.padEnd(6)} ${String(cut.length).padStart(6)} B`);
}
