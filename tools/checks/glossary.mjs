const MIGRATION = /^server\/migrations\/(?!\d+-platform\.sql$).*\.sql$/;
const TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)(?=[ (])/gm;
const MODULE = /^server\/src\/modules\/(deposit\/[^/]+(?=\/)|[^/]+)\//;
const FEATURE = /^web\/src\/features\/([^/]+)\//;
const DEPOSIT_METHOD = /^web\/src\/features\/deposit\/([^/]+)\//;
/** What several features share is a folder or a file with the name of the term. */
const SHARED = /^web\/src\/(?:shared|member)\/([^/.]+)/;
const CONTRACT = /^contract\/src\/endpoints\/([\w/-]+)\.ts$/;
const PHRASES = /^phrases\/th\/([^/]+)\.json$/;

const matched = (pattern, path) => pattern.exec(path)?.[1] ?? '';

/** The terms in a path, by place. A path may have several: `deposit/qrcode`. */
const PLACES = {
  module: (path) => matched(MODULE, path).split('/'),
  contract: (path) => matched(CONTRACT, path).split('/'),
  app: (path, listed) => {
    const shared = matched(SHARED, path);
    return [matched(FEATURE, path), matched(DEPOSIT_METHOD, path), listed.has(shared) ? shared : ''];
  },
  phrases: (path) => [matched(PHRASES, path)],
};

const HEADING = /^## Where a (?:word|term) is missing$/m;
const codeIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

/**
 * A term of the product is in the glossary, and names a module of the server, a file of the contract, a feature of the app, a
 * file of the phrases and the prefix of its tables, except where the glossary gives a reason. Tables of the platform and of the
 * ledger's schema are left out. Returns messages.
 */
export function checkGlossary(files) {
  const glossary = files.find(({ path }) => path === 'docs/glossary.md');
  if (!glossary) return ['docs/glossary.md is missing.'];
  const [list, exceptions = ''] = glossary.text.split(HEADING);
  const listed = new Set([...list.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) => codeIn(cell)));
  const places = wordsByPlace(files, listed);
  const words = new Set(Object.values(places).flatMap((found) => [...found.keys()]));
  const tables = tablesOf(files, words);
  const everywhere = { ...places, table: tables.byWord };
  const stated = statedIn(exceptions);
  return [
    ...[...words]
      .filter((word) => !listed.has(word))
      .map((word) => `${pathOf(places, word)}: docs/glossary.md has no row for ${word}.`),
    ...[...words].flatMap((word) =>
      Object.keys(everywhere)
        .filter((place) => !everywhere[place].has(word) && !stated.delete(`${word} ${place}`))
        .map((place) => `${pathOf(places, word)}: ${word} has no ${place}; docs/glossary.md gives no reason.`),
    ),
    ...[...stated].map((one) => `docs/glossary.md has an exception that is not needed: ${one}.`),
    ...tables.without,
  ];
}

/** The terms of each place, each with a file. */
function wordsByPlace(files, listed) {
  const found = Object.fromEntries(Object.keys(PLACES).map((place) => [place, new Map()]));
  for (const { path } of files) {
    for (const [place, read] of Object.entries(PLACES)) {
      for (const word of read(path, listed)) if (word && !found[place].has(word)) found[place].set(word, path);
    }
  }
  return found;
}

const pathOf = (places, word) =>
  Object.values(places)
    .find((found) => found.has(word))
    .get(word);

/** The table of accounts is called `member`. */
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
