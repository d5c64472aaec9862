/**
 * Builds the app into `dist`: bundle, prerendered pages, compressed copies, and a table of sizes. The build is written
 * to a temporary folder and then renamed to `dist`, so that a running server never serves a partial build. Usage: `node
 * build/build.ts`
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { checkBudgets } from './check-budgets.ts';
import { compress } from './compress.ts';
import { prerenderPages } from './prerender-pages.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const temporaryFolder = join(root, `.cache/build-${process.pid}`);
const temporaryDist = join(temporaryFolder, 'dist');
const prerenderer = join(temporaryFolder, 'prerender');
const configFile = join(root, 'vite.config.ts');

try {
  await build({ configFile, logLevel: 'warn', build: { outDir: temporaryDist, emptyOutDir: true } });
  const ssrEntry = join(root, 'src/prerender.tsx');
  const ssrOptions = { ssr: ssrEntry, outDir: prerenderer, emptyOutDir: true, manifest: false, copyPublicDir: false };
  await build({ configFile, logLevel: 'warn', build: ssrOptions });
  await prerenderPages(temporaryDist, join(prerenderer, 'prerender.js'));
  await compress(temporaryDist);
  // Only prints the sizes; `check-budgets.ts` fails if one exceeds its budget.
  console.log((await checkBudgets(temporaryDist)).table);
  await rename(dist, join(temporaryFolder, 'before')).catch(() => undefined);
  await rename(temporaryDist, dist);
} finally {
  await rm(temporaryFolder, { recursive: true, force: true });
}
