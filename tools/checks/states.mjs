import { isSource, lineOf, withoutComments } from './files.mjs';

const TABLES = 'contract/src/states.ts';
const GUARD = 'platform/state-machine.ts';

/** A statement that writes a state: `update t set … state = …`, or the beginning of one. */
const WRITES_STATE =
  /\b(?:update\s+[\w.]+(?:\s+(?:as\s+)?\w+)?\s+set|do\s+update\s+set)\b(?:(?!\bwhere\b)[^;])*?\bstate\s*=|[`']state = /i;
const TABLE_NAME = /^export const (\w+Transitions)\b/gm;

/** Messages about a second state guard, and about state tables that the server or the tests do not read. */
export function checkStates(files) {
  const sources = files.filter(({ path }) => isSource(path));
  const tables = [...(files.find(({ path }) => path === TABLES)?.text ?? '').matchAll(TABLE_NAME)].map(
    ([, name]) => name,
  );
  return [...tables.flatMap((table) => readers(table, sources)), ...sources.flatMap(guards)];
}

function readers(table, sources) {
  const isRead = (where, alsoHas = '') =>
    sources.some(
      ({ path, text }) => where.test(path) && new RegExp(`\\b${table}\\b`).test(text) && text.includes(alsoHas),
    );
  const missing = [];
  if (!isRead(/^server\/src\//, GUARD)) missing.push(`${TABLES}: no guard of the server reads ${table}.`);
  if (!isRead(/^(server|contract)\/test\//)) missing.push(`${TABLES}: no test reads ${table}.`);
  return missing;
}

function guards({ path, text }) {
  if (!path.startsWith('server/src/') || path.endsWith(GUARD)) return [];
  const program = withoutComments(text);
  const second = /\bcanFollow\b|\b\w+Transitions(?:\[|\.\w)|\bkeys\(\w+Transitions\b/.exec(program);
  const write = WRITES_STATE.exec(program);
  return [
    ...(second ? [`${path}:${lineOf(program, second.index)} has ${second[0]}: ${GUARD} is the only state guard.`] : []),
    ...(write && path.includes('/modules/') && !program.includes(GUARD)
      ? [`${path}:${lineOf(program, write.index)} writes a state without ${GUARD}.`]
      : []),
  ];
}
