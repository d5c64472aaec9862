/**
 * Builds the app into `dist`: bundle, prerendered pages, compressed copies and their sizes. Built in a temporary folder
 * and moved into place at the end, so that a server of `dist` never sees a partial build. `node build/build.ts`
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { checkBudgets } from './check-budgets.ts';
import { compress } from './compress.ts';
import { prerenderPages } from './prerender-pages.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const aside = join(root, `.cache/build-${process.pid}`);
const made = join(aside, 'dist');
const prerenderer = join(aside, 'prerender');
const configFile = join(root, 'vite.config.ts');

try {
  await build({ configFile, logLevel: 'warn', build: { outDir: made, emptyOutDir: true } });
  const ssr = join(root, 'src/prerender.tsx');
  const ssrOptions = { ssr, outDir: prerenderer, emptyOutDir: true, manifest: false, copyPublicDir: false };
  await build({ configFile, logLevel: 'warn', build: ssrOptions });
  await prerenderPages(made, join(prerenderer, 'prerender.js'));
  await compress(made);
  // Prints only: `check-budgets.ts` fails.
  console.log((await checkBudgets(made)).table);
  await rename(dist, join(aside, 'before')).catch(() => undefined);
  await rename(made, dist);
} finally {
  await rm(aside, { recursive: true, force: true });
}
