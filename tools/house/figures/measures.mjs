import { posix } from 'node:path';
import { mutualPairs } from '../composition.mjs';
import { isSource, withoutComments } from '../files.mjs';
import { longFunctions } from './long-functions.mjs';

/** Modules whose money crosses our border, under their present and their coming names. */
const BORDER = ['transfer', 'withdraw', 'deposit', 'arrival', 'slip', 'truelink'];
const MONEY = new RegExp(String.raw`^server/src/(?:modules/(?:${BORDER.join('|')})|settlement)/`);

const sources = (files) => files.filter(({ path }) => isSource(path));
const under = (files, pattern) => sources(files).filter(({ path }) => pattern.test(path));
const linesOf = ({ text }) => text.split('\n').length - 1;
const occurrences = (files, pattern) =>
  files.reduce((sum, { text }) => sum + (withoutComments(text).match(pattern)?.length ?? 0), 0);
const textOf = (all, path) => all.find((file) => file.path === path)?.text ?? '';

const filesOfWord = (word) => (all) =>
  under(all, /\/src\//).filter(({ path }) => path.replaceAll('bank-transfer', '').includes(word)).length;

const GUARD = /\b(?:function|const) (?:sourcesOf|assertStep|assertTransition)\b/;
const FOLDER_MAX = 15;
/** A line of a folder's README.md that gives a reason, and not the words of it alone. */
const REASON = /^More than 15 programs: \S.{30,}/m;
const SMALL_LINES = 30;
const FILE_LINES_MAX = 400;

/**
 * What is measured of the code, in the order of docs/house.md. `count` answers a figure for the files of a tree and its folder; `limit`
 * is `ratchet` where the figure may only fall, `none` where it may do either.
 */
export const measures = [
  {
    id: 'idempotent commands',
    limit: 'ratchet',
    how: 'places in server/src that refuse a key that was used for another request (`IDEMPOTENCY_KEY_REUSED`)',
    count: (all) => occurrences(under(all, /^server\/src\//), /'IDEMPOTENCY_KEY_REUSED'/g),
  },
  {
    id: 'polling loops',
    limit: 'ratchet',
    how: 'calls of `startDueWork` where money crosses our border (the modules below, or settlement)',
    count: (all) => occurrences(under(all, MONEY), /\bstartDueWork\(/g),
  },
  {
    id: 'state guards',
    limit: 'ratchet',
    how: 'files of server/src that define `sourcesOf`, `assertStep` or `assertTransition`',
    count: (all) => under(all, /^server\/src\//).filter(({ text }) => GUARD.test(withoutComments(text))).length,
  },
  {
    id: 'state tables the server does not read',
    limit: 'ratchet',
    how: 'exported `…Transitions` of contract/src/states.ts that no program of server/src names',
    count: (all) => tablesUnreadBy(all, /^server\/src\//),
  },
  {
    id: 'state tables the app does not read',
    limit: 'none',
    how: 'the same for web/src',
    count: (all) => tablesUnreadBy(all, /^web\/src\//),
  },
  {
    id: 'module pairs that know each other',
    limit: 'ratchet',
    how: 'imports between modules, and what compose.ts hands to each, closures and shared objects included',
    count: (all) => mutualPairs(all).length,
  },
  {
    id: 'exported names with several meanings',
    limit: 'ratchet',
    how: 'names of types, components and hooks that two files of one workspace export, or one of the contract and another',
    count: (all) => repeatedNames(all).length,
  },
  {
    id: 'files of a transfer',
    limit: 'none',
    how: 'programs below a `src` folder of any workspace with `transfer` in their path',
    count: filesOfWord('transfer'),
  },
  { id: 'files of a spin', limit: 'none', how: 'the same with `spin`', count: filesOfWord('spin') },
  { id: 'files of a chat message', limit: 'none', how: 'the same with `chat`', count: filesOfWord('chat') },
  {
    id: 'folders with more than 15 programs',
    limit: 'ratchet',
    how: 'folders of all workspaces, tests included, by the files that lie directly in them; not those whose README.md says why (`More than 15 programs: …`)',
    count: (all) =>
      Object.entries(Object.groupBy(sources(all), ({ path }) => posix.dirname(path))).filter(
        ([folder, inFolder]) => inFolder.length > FOLDER_MAX && !REASON.test(textOf(all, `${folder}/README.md`)),
      ).length,
  },
  {
    id: 'programs under 30 lines',
    limit: 'none',
    how: 'below a `src` folder of any workspace',
    count: (all) => under(all, /\/src\//).filter((file) => linesOf(file) < SMALL_LINES).length,
  },
  {
    id: 'lines of the money modules',
    limit: 'none',
    how: `lines of the modules ${BORDER.join(', ')} and of settlement`,
    count: (all) => under(all, MONEY).reduce((sum, file) => sum + linesOf(file), 0),
  },
  {
    id: 'programs over 400 lines',
    limit: 'ratchet',
    how: 'programs and style sheets',
    count: (all) =>
      all.filter((file) => (isSource(file.path) || file.path.endsWith('.css')) && linesOf(file) > FILE_LINES_MAX)
        .length,
  },
  {
    id: 'functions over the limit',
    limit: 'ratchet',
    how: 'functions over 70 lines, with JSX 90, in tests 120; blank lines and comments not counted',
    count: (_, tree) => longFunctions(tree).length,
  },
  {
    id: 'member_id as text',
    limit: 'ratchet',
    how: 'columns `member_id text` of server/schema.sql',
    count: (all) => schemaHas(all, /^\s+member_id text\b/gm),
  },
  {
    id: 'member_id as uuid',
    limit: 'none',
    how: 'columns `member_id uuid` there',
    count: (all) => schemaHas(all, /^\s+member_id uuid\b/gm),
  },
  {
    id: 'foreign keys to member',
    limit: 'none',
    how: 'constraints `REFERENCES member(id)` there',
    count: (all) => schemaHas(all, /REFERENCES member\(id\)/g),
  },
  {
    id: 'migrations',
    limit: 'none',
    how: 'files of server/migrations',
    count: (all) => all.filter(({ path }) => /^server\/migrations\/.*\.sql$/.test(path)).length,
  },
  {
    id: 'copies of post_batch',
    limit: 'ratchet',
    how: '`create function ledger.post_batch` in server/migrations, replacements included',
    count: (all) =>
      all
        .filter(({ path }) => /^server\/migrations\/.*\.sql$/.test(path))
        .reduce(
          (sum, { text }) => sum + (text.match(/create (?:or replace )?function ledger\.post_batch\(/g)?.length ?? 0),
          0,
        ),
  },
];

const schemaHas = (all, pattern) => textOf(all, 'server/schema.sql').match(pattern)?.length ?? 0;

function tablesUnreadBy(all, readers) {
  const tables = [...textOf(all, 'contract/src/states.ts').matchAll(/export const (\w+Transitions)\b/g)];
  const programs = under(all, readers).map(({ text }) => withoutComments(text));
  return tables.filter(([, name]) => !programs.some((text) => new RegExp(String.raw`\b${name}\b`).test(text))).length;
}

/** Names of exported types, components and hooks with several meanings, with the files that declare them. */
export function repeatedNames(all) {
  const places = new Map();
  for (const { path, text } of under(all, /^(?:contract|server|web)\/src\//)) {
    for (const [, name] of withoutComments(text).matchAll(DECLARED)) {
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  return [...places].map(([name, paths]) => ({ name, paths: [...paths] })).filter(({ paths }) => areInOneScope(paths));
}

const DECLARED = /^export (?:type|interface|class|(?:async )?function|const) ([A-Z]\w*[a-z]\w*|use[A-Z]\w*)\b/gm;

// The server's record and the app's picture of it may share a name; the contract's names belong to both.
function areInOneScope(paths) {
  const workspaces = paths.map((path) => path.slice(0, path.indexOf('/')));
  return new Set(workspaces).size < workspaces.length || (workspaces.length > 1 && workspaces.includes('contract'));
}
