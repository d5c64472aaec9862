const MODULE_PATH = /^server\/src\/modules\/(deposit\/[^/]+(?=\/)|[^/]+)\//;
const CONTRACT_PATH = /^contract\/src\/endpoints\/([\w/-]+)\.ts$/;
const FEATURE_PATH = /^web\/src\/features\/([^/]+)\//;
const DEPOSIT_METHOD = /^web\/src\/features\/deposit\/([^/]+)\//;
/** Code that several features share is in a folder or file named after the term. */
const SHARED_PATH = /^web\/src\/(?:shared|member)\/([^/.]+)/;
const PHRASES_PATH = /^phrases\/th\/([^/]+)\.json$/;
const MIGRATION_PATH = /^server\/migrations\/(?!\d+-platform\.sql$).*\.sql$/;
const CREATE_TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)(?=[ (])/gm;
const RENAME_TABLE = /^alter table (\w+) rename to (\w+);$/gm;
const EXCEPTIONS_HEADING = /^## Where a (?:word|term) is missing$/m;

const firstGroup = (pattern, path) => pattern.exec(path)?.[1] ?? '';
const codeIn = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, term]) => term);

/** Functions that find the terms in a path, by kind of file. A path may have several: `deposit/qrcode`. */
const TERM_FINDERS = {
  module: (path) => firstGroup(MODULE_PATH, path).split('/'),
  contract: (path) => firstGroup(CONTRACT_PATH, path).split('/'),
  app: (path, listed) => {
    const sharedName = firstGroup(SHARED_PATH, path);
    return [firstGroup(FEATURE_PATH, path), firstGroup(DEPOSIT_METHOD, path), listed.has(sharedName) ? sharedName : ''];
  },
  phrases: (path) => [firstGroup(PHRASES_PATH, path)],
};

/**
 * Checks that every glossary term names a server module, a contract file, an app feature, a phrase file and a table
 * prefix, except where the glossary gives a reason. Ignores tables of the platform and of the ledger's schema. Returns
 * messages.
 */
export function checkGlossary(files) {
  const glossary = files.find(({ path }) => path === 'docs/glossary.md');
  if (!glossary) return ['docs/glossary.md is missing.'];
  const [termTable, exceptions = ''] = glossary.text.split(EXCEPTIONS_HEADING);
  const listedTerms = new Set([...termTable.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) => codeIn(cell)));
  const remainingExceptions = exceptionsIn(exceptions);
  const fileOf = new Map();
  const usedTerms = new Set();
  for (const { path } of files) {
    for (const [place, termsOf] of Object.entries(TERM_FINDERS)) {
      for (const term of termsOf(path, listedTerms).filter(Boolean)) {
        if (!fileOf.has(term)) fileOf.set(term, path);
        usedTerms.add(`${term} ${place}`);
      }
    }
  }
  const withoutTerm = tablesWithoutTerm(files, [...fileOf.keys()], usedTerms);
  return [
    ...[...fileOf].flatMap(([term, path]) => [
      ...(listedTerms.has(term) ? [] : [`${path}: docs/glossary.md has no row for ${term}.`]),
      ...[...Object.keys(TERM_FINDERS), 'table']
        .filter((place) => !usedTerms.has(`${term} ${place}`) && !remainingExceptions.delete(`${term} ${place}`))
        .map((place) => `${path}: ${term} has no ${place}; docs/glossary.md gives no reason.`),
    ]),
    ...[...remainingExceptions].map((name) => `docs/glossary.md has an exception that is not needed: ${name}.`),
    ...withoutTerm,
  ];
}

/** Adds the terms of tables to `used`. Returns messages about other tables. The term account has the table `member`. */
function tablesWithoutTerm(files, terms, used) {
  const messages = [];
  const migrations = files.filter(({ path }) => MIGRATION_PATH.test(path));
  const renames = new Map(
    migrations.flatMap(({ text }) => [...text.matchAll(RENAME_TABLE)].map(([, from, to]) => [from, to])),
  );
  for (const { path, text } of migrations) {
    for (const [, created] of text.matchAll(CREATE_TABLE)) {
      const table = renames.get(created) ?? created;
      const name = `${table}_`.replace(/^member_/, 'account_');
      const term = terms.find((candidate) => name.startsWith(`${candidate.replaceAll('-', '_')}_`));
      if (term) used.add(`${term} table`);
      else if (table !== 'ledger') messages.push(`${path}: the table ${table} does not begin with a module's term.`);
    }
  }
  return messages;
}

/** Exceptions as `term place`, from rows of terms, places and reason. */
function exceptionsIn(text) {
  const rows = [...text.matchAll(/^\|([^|]*)\|([^|]*)\|[^|]*\S[^|]*\|$/gm)];
  return new Set(
    rows.flatMap(([, terms, places]) =>
      codeIn(terms).flatMap((term) => codeIn(places).map((place) => `${term} ${place}`)),
    ),
  );
}
