import { posix } from 'node:path';
import { moduleOf } from './composition.mjs';

const CONTRACT = /^contract\/src\/endpoints\/(?:[^/]+\/)?([^/]+)\.ts$/;
const WEB = /^web\/src\/(?:features|shared)\/([^/]+)\//;

const MIGRATION = /^server\/migrations\/(?!\d+-platform\.sql$).*\.sql$/;
const TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)(?=[ (])/gm;
/** Prefixes beside the names of modules: the row of the account, and the folder of the ways to deposit. */
const PREFIXES = ['member', 'deposit'];

/**
 * Each word that names a module, a feature, what features share or a file of the contract stands in the glossary, and the contract's
 * files and the server's modules have the same words. A table begins with the word of its module; except for
 * those of the platform and of the ledger, which has a schema of its own. Answers sentences.
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
    ...files.filter(({ path }) => MIGRATION.test(path)).flatMap((file) => tablesWithoutWord(file, modules)),
  ];
}

function tablesWithoutWord({ path, text }, modules) {
  const prefixes = [...modules, ...PREFIXES].filter((word) => word !== '');
  return [...text.matchAll(TABLE)]
    .map(([, table]) => table)
    .filter((table) => !prefixes.some((word) => table === word || table.startsWith(`${word.replaceAll('-', '_')}_`)))
    .map((table) => `${path}: the table ${table} does not begin with the word of a module.`);
}
