import { posix } from 'node:path';
import { moduleOf } from './composition.mjs';

const CONTRACT = /^contract\/src\/endpoints\/(?:[^/]+\/)?([^/]+)\.ts$/;
const WEB = /^web\/src\/(?:features|shared)\/([^/]+)\//;

/**
 * Each word that names a module, a feature, what features share or a file of the contract stands in the glossary, and the contract's
 * files and the server's modules have the same words. Answers sentences.
 */
export function checkGlossary(files) {
  const glossary = files.find(({ path }) => path === 'docs/glossary.md');
  if (!glossary) return ['docs/glossary.md is missing.'];
  const words = new Set(
    [...glossary.text.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
    ),
  );
  const wordOfModule = (path) => posix.basename(moduleOf(path));
  const found = new Map();
  for (const { path } of files) {
    const word = wordOfModule(path) || (CONTRACT.exec(path) ?? WEB.exec(path))?.[1];
    if (word && !found.has(word)) found.set(word, path);
  }
  const modules = new Set(files.map(({ path }) => wordOfModule(path)));
  return [
    ...[...found]
      .filter(([word]) => !words.has(word))
      .map(([word, path]) => `${path}: docs/glossary.md has no line for ${word}.`),
    ...files
      .map(({ path }) => ({ path, word: CONTRACT.exec(path)?.[1] }))
      .filter(({ word }) => word && !modules.has(word))
      .map(({ path, word }) => `${path}: no module of the server is called ${word}.`),
  ];
}
