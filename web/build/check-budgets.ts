/**
 * Compares the build with the byte budgets. `node build/check-budgets.ts` prints a table and exits 1 above any budget.
 */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { budgets } from './budgets.ts';
import { filesOf, readManifest, type Manifest } from './chunks.ts';
import { ENTRY, firstScreens } from './screens.ts';

type Weight = { what: string; bytes: number; budget: number };

const FONTS = { th: ['latin', 'thai'], la: ['latin', 'lao', 'kip'], en: ['latin'] };

async function gzipOf(dist: string, files: Iterable<string>): Promise<number> {
  const texts = await Promise.all([...files].map((file) => readFile(join(dist, file))));
  return texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
}

/** Screens that are not prerendered: lazy modules named as a page or a screen. */
const otherPages = (manifest: Manifest): string[] =>
  Object.keys(manifest).filter((source) => /-(page|screen)\.tsx$/.test(source) && !isPrerendered(source));

const isPrerendered = (source: string): boolean => firstScreens.some(({ page }) => page === source);

async function scripts(dist: string, manifest: Manifest): Promise<Weight[]> {
  const [login, ...others] = firstScreens.map(({ path, layout, page }) => ({
    path,
    files: filesOf(manifest, [ENTRY, layout, page]),
  }));
  if (!login) throw new Error('there is no first screen');
  const base = new Set(login.files);
  const more = otherPages(manifest).map((page) => {
    const layout = /(terminated|not-found)-page/.test(page)
      ? 'src/screens/bare-layout.tsx'
      : 'src/member/member-layout.tsx';
    return { path: page.replace(/^src\/|\.tsx$/g, ''), files: filesOf(manifest, [ENTRY, layout, page]) };
  });
  const weights: Weight[] = [
    { what: `scripts ${login.path} (gzip)`, bytes: await gzipOf(dist, base), budget: budgets.loginScripts },
  ];
  for (const { path, files } of [...others, ...more]) {
    const bytes = await gzipOf(dist, new Set(files.filter((file) => !base.has(file))));
    weights.push({ what: `+ ${path} (gzip)`, bytes, budget: budgets.moreScripts });
  }
  return weights;
}

async function pages(dist: string): Promise<Weight[]> {
  const names = (await readdir(dist, { recursive: true })).filter((name) => /\.(th|la|en)\.html$/.test(name));
  const weights: Weight[] = [];
  for (const name of names.sort()) {
    const html = await readFile(join(dist, name), 'utf8');
    const isFirst = /(login|register)\.\w+\.html$/.test(name);
    const styles = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    weights.push({
      what: `${name} (brotli)`,
      bytes: (await stat(join(dist, `${name}.br`))).size,
      budget: isFirst ? budgets.page : budgets.otherPage,
    });
    weights.push({
      what: `${name} styles (gzip)`,
      bytes: gzipSync(styles).length,
      budget: isFirst ? budgets.inlineStyles : budgets.otherStyles,
    });
  }
  if (weights.length === 0) throw new Error('no prerendered pages were built');
  return weights;
}

async function fonts(dist: string): Promise<Weight[]> {
  const files = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.woff2'));
  const weights: Weight[] = [];
  for (const [language, names] of Object.entries(FONTS)) {
    const own = names.map((name) => files.find((file) => file.startsWith(`${name}-`)) ?? `${name} is missing`);
    const sizes = await Promise.all(own.map(async (file) => (await stat(join(dist, 'assets', file))).size));
    weights.push({ what: `fonts ${language}`, bytes: sizes.reduce((sum, size) => sum + size), budget: budgets.fonts });
  }
  return weights;
}

/** Weighs a built `dist` against the budgets. */
export async function checkBudgets(dist: string): Promise<{ table: string; isWithin: boolean }> {
  const manifest = await readManifest(dist);
  const weights = [...(await scripts(dist, manifest)), ...(await pages(dist)), ...(await fonts(dist))];
  const rows = weights.map(({ what, bytes, budget }) => {
    const verdict = bytes <= budget ? 'ok' : 'TOO HEAVY';
    return `${what.padEnd(48)} ${String(bytes).padStart(7)} of ${String(budget).padStart(7)}  ${verdict}`;
  });
  return { table: rows.join('\n'), isWithin: weights.every(({ bytes, budget }) => bytes <= budget) };
}

if (process.argv[1] === import.meta.filename) {
  const { table, isWithin } = await checkBudgets(join(import.meta.dirname, '../dist'));
  console.log(table);
  process.exitCode = isWithin ? 0 : 1;
}
