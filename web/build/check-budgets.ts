/**
 * Compares the sizes of a build with the budgets. `node build/check-budgets.ts` prints a table and exits with 1 if a
 * budget is exceeded.
 */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { budgets } from './budgets.ts';
import { filesOf, readManifest, type Manifest } from './chunks.ts';
import { ENTRY, firstScreens } from './screens.ts';

type Weight = { label: string; bytes: number; budget: number };

const FONTS_BY_LANGUAGE = { th: ['latin', 'thai'], la: ['latin', 'lao', 'kip'], en: ['latin'] };

async function gzipBytesOf(dist: string, files: Iterable<string>): Promise<number> {
  const texts = await Promise.all([...files].map((file) => readFile(join(dist, file))));
  return texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
}

/** Sources of the screens without a prerendered page: lazily imported modules named `*-page` or `*-screen`. */
const otherPages = (manifest: Manifest): string[] =>
  Object.keys(manifest).filter((source) => /-(page|screen)\.tsx$/.test(source) && !isPrerendered(source));

const isPrerendered = (source: string): boolean => firstScreens.some(({ page }) => page === source);

async function weighScripts(dist: string, manifest: Manifest): Promise<Weight[]> {
  const [login, ...otherFirstScreens] = firstScreens.map(({ path, layout, page }) => ({
    path,
    files: filesOf(manifest, [ENTRY, layout, page]),
  }));
  if (!login) throw new Error('there is no first screen');
  const loginFiles = new Set(login.files);
  const laterScreens = otherPages(manifest).map((page) => {
    const layout = /(terminated|not-found)-page/.test(page)
      ? 'src/screens/bare-layout.tsx'
      : 'src/screens/member-layout.tsx';
    return { path: page.replace(/^src\/|\.tsx$/g, ''), files: filesOf(manifest, [ENTRY, layout, page]) };
  });
  const weights: Weight[] = [
    { label: `scripts ${login.path} (gzip)`, bytes: await gzipBytesOf(dist, loginFiles), budget: budgets.loginScripts },
  ];
  for (const { path, files } of [...otherFirstScreens, ...laterScreens]) {
    const bytes = await gzipBytesOf(dist, new Set(files.filter((file) => !loginFiles.has(file))));
    weights.push({ label: `+ ${path} (gzip)`, bytes, budget: budgets.moreScripts });
  }
  return weights;
}

async function weighPages(dist: string): Promise<Weight[]> {
  const names = (await readdir(dist, { recursive: true })).filter((name) => /\.(th|la|en)\.html$/.test(name));
  const weights: Weight[] = [];
  for (const name of names.sort()) {
    const html = await readFile(join(dist, name), 'utf8');
    const isFirstScreen = /(login|register)\.\w+\.html$/.test(name);
    const styles = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    weights.push({
      label: `${name} (brotli)`,
      bytes: (await stat(join(dist, `${name}.br`))).size,
      budget: isFirstScreen ? budgets.page : budgets.otherPage,
    });
    weights.push({
      label: `${name} styles (gzip)`,
      bytes: gzipSync(styles).length,
      budget: isFirstScreen ? budgets.inlineStyles : budgets.otherStyles,
    });
  }
  if (weights.length === 0) throw new Error('no prerendered pages were built');
  return weights;
}

async function weighFonts(dist: string): Promise<Weight[]> {
  const files = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.woff2'));
  const weights: Weight[] = [];
  for (const [language, fontNames] of Object.entries(FONTS_BY_LANGUAGE)) {
    const fontFiles = fontNames.map(
      (name) => files.find((file) => file.startsWith(`${name}-`)) ?? `${name} is missing`,
    );
    const sizes = await Promise.all(fontFiles.map(async (file) => (await stat(join(dist, 'assets', file))).size));
    weights.push({ label: `fonts ${language}`, bytes: sizes.reduce((sum, size) => sum + size), budget: budgets.fonts });
  }
  return weights;
}

/** Compares a built `dist` folder with the budgets. */
export async function checkBudgets(dist: string): Promise<{ table: string; isWithin: boolean }> {
  const manifest = await readManifest(dist);
  const weights = [...(await weighScripts(dist, manifest)), ...(await weighPages(dist)), ...(await weighFonts(dist))];
  const rows = weights.map(({ label, bytes, budget }) => {
    const verdict = bytes <= budget ? 'ok' : 'TOO HEAVY';
    return `${label.padEnd(48)} ${String(bytes).padStart(7)} of ${String(budget).padStart(7)}  ${verdict}`;
  });
  return { table: rows.join('\n'), isWithin: weights.every(({ bytes, budget }) => bytes <= budget) };
}

if (process.argv[1] === import.meta.filename) {
  const { table, isWithin } = await checkBudgets(join(import.meta.dirname, '../dist'));
  console.log(table);
  process.exitCode = isWithin ? 0 : 1;
}
