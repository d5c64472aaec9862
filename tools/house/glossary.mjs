import { moduleOf } from './composition.mjs';

const MIGRATION = /^server\/migrations\/(?!\d+-platform\.sql$).*\.sql$/;
const TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)(?=[ (])/gm;
/** Folders of the app below a feature are parts of it, but for the ways to deposit, which are words of their own. */
const WEB = /^web\/src\/(?:features\/(?=deposit\/)|features|shared)\/([^/]+)\//;
const WEB_WAY = /^web\/src\/features\/deposit\/([^/]+)\//;
const CONTRACT = /^contract\/src\/endpoints\/([\w/-]+)\.ts$/;
const PHRASES = /^phrases\/th\/([^/]+)\.json$/;

/** Where a word can stand, and how it is read there. A path may carry several: `deposit/qrcode`. */
const PLACES = {
  module: (path) => moduleOf(path).split('/'),
  contract: (path) => (CONTRACT.exec(path)?.[1] ?? '').split('/'),
  app: (path) => [WEB.exec(path)?.[1], WEB_WAY.exec(path)?.[1]],
  phrases: (path) => [PHRASES.exec(path)?.[1]],
};

const HEADING = '## Where a word is missing';
const codeIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

/**
 * The words of the product are the same from module to table: each is in the glossary, and is a module of the server, a file of the
 * contract, a folder of the app, a file of the phrases and the beginning of its tables, but for the exceptions that the glossary
 * states with their reasons. Tables of the platform and of the ledger's own schema are left out. Answers sentences.
 */
export function checkGlossary(files) {
  const glossary = files.find(({ path }) => path === 'docs/glossary.md');
  if (!glossary) return ['docs/glossary.md is missing.'];
  const [list, exceptions = ''] = glossary.text.split(HEADING);
  const listed = new Set([...list.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) => codeIn(cell)));
  const places = wordsByPlace(files);
  const words = new Set(Object.values(places).flatMap((found) => [...found.keys()]));
  const tables = tablesOf(files, words);
  const everywhere = { ...places, table: tables.byWord };
  const stated = statedIn(exceptions);
  return [
    ...[...words]
      .filter((word) => !listed.has(word))
      .map((word) => `${pathOf(places, word)}: docs/glossary.md has no line for ${word}.`),
    ...[...words].flatMap((word) =>
      Object.keys(everywhere)
        .filter((place) => !everywhere[place].has(word) && !stated.delete(`${word} ${place}`))
        .map((place) => `${pathOf(places, word)}: ${word} has no ${place}; docs/glossary.md gives no reason.`),
    ),
    ...[...stated].map((one) => `docs/glossary.md states an exception that is none: ${one}.`),
    ...tables.without,
  ];
}

/** For each place, the words that stand there, each with a file. */
function wordsByPlace(files) {
  const found = Object.fromEntries(Object.keys(PLACES).map((place) => [place, new Map()]));
  for (const { path } of files) {
    for (const [place, read] of Object.entries(PLACES)) {
      for (const word of read(path)) if (word && !found[place].has(word)) found[place].set(word, path);
    }
  }
  return found;
}

const pathOf = (places, word) =>
  Object.values(places)
    .find((found) => found.has(word))
    .get(word);

/** The account's row is called after the person. */
const wordOfTable = (table) => (table === 'member' || table.startsWith('member_') ? 'account' : table);

function tablesOf(files, words) {
  const byWord = new Map();
  const without = [];
  for (const { path, text } of files.filter((file) => MIGRATION.test(file.path))) {
    for (const [, table] of text.matchAll(TABLE)) {
      const name = wordOfTable(table);
      const word = [...words].find((one) => name === one || name.startsWith(`${one.replaceAll('-', '_')}_`));
      if (word) byWord.set(word, path);
      else if (table !== 'ledger')
        without.push(`${path}: the table ${table} does not begin with the word of a module.`);
    }
  }
  return { byWord, without };
}

/** The exceptions as `word place`, from rows of: words, places, reason. */
function statedIn(text) {
  const rows = [...text.matchAll(/^\|([^|]*)\|([^|]*)\|[^|]*\S[^|]*\|$/gm)];
  return new Set(
    rows.flatMap(([, words, missing]) =>
      codeIn(words).flatMap((word) => codeIn(missing).map((place) => `${word} ${place}`)),
    ),
  );
}
