const MODULE = /^server\/src\/modules\/(deposit\/[^/]+(?=\/)|[^/]+)\//;
const CONTRACT = /^contract\/src\/endpoints\/([\w/-]+)\.ts$/;
const FEATURE = /^web\/src\/features\/([^/]+)\//;
const DEPOSIT_METHOD = /^web\/src\/features\/deposit\/([^/]+)\//;
/** What several features share is a folder or a file with the name of the term. */
const SHARED = /^web\/src\/(?:shared|member)\/([^/.]+)/;
const PHRASES = /^phrases\/th\/([^/]+)\.json$/;
const MIGRATION = /^server\/migrations\/(?!\d+-platform\.sql$).*\.sql$/;
const TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)(?=[ (])/gm;
const HEADING = /^## Where a (?:word|term) is missing$/m;

const matched = (pattern, path) => pattern.exec(path)?.[1] ?? '';
const codeIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, term]) => term);

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
  const excepted = exceptionsIn(exceptions);
  const fileOf = new Map();
  const used = new Set();
  for (const { path } of files) {
    for (const [place, termsOf] of Object.entries(PLACES)) {
      for (const term of termsOf(path, listed).filter(Boolean)) {
        if (!fileOf.has(term)) fileOf.set(term, path);
        used.add(`${term} ${place}`);
      }
    }
  }
  const withoutTerm = tablesWithoutTerm(files, [...fileOf.keys()], used);
  return [
    ...[...fileOf].flatMap(([term, path]) => [
      ...(listed.has(term) ? [] : [`${path}: docs/glossary.md has no row for ${term}.`]),
      ...[...Object.keys(PLACES), 'table']
        .filter((place) => !used.has(`${term} ${place}`) && !excepted.delete(`${term} ${place}`))
        .map((place) => `${path}: ${term} has no ${place}; docs/glossary.md gives no reason.`),
    ]),
    ...[...excepted].map((one) => `docs/glossary.md has an exception that is not needed: ${one}.`),
    ...withoutTerm,
  ];
}

/** Adds the tables of terms to `used`. Returns messages about other tables. The table of accounts is called `member`. */
function tablesWithoutTerm(files, terms, used) {
  const messages = [];
  for (const { path, text } of files.filter((file) => MIGRATION.test(file.path))) {
    for (const [, table] of text.matchAll(TABLE)) {
      const name = `${table}_`.replace(/^member_/, 'account_');
      const term = terms.find((one) => name.startsWith(`${one.replaceAll('-', '_')}_`));
      if (term) used.add(`${term} table`);
      else if (table !== 'ledger') messages.push(`${path}: the table ${table} does not begin with a module's term.`);
    }
  }
  return messages;
}

/** The exceptions as `term place`, from rows of: terms, places, reason. */
function exceptionsIn(text) {
  const rows = [...text.matchAll(/^\|([^|]*)\|([^|]*)\|[^|]*\S[^|]*\|$/gm)];
  return new Set(
    rows.flatMap(([, terms, places]) =>
      codeIn(terms).flatMap((term) => codeIn(places).map((place) => `${term} ${place}`)),
    ),
  );
}
