import { isSource, lineOf, withoutComments } from './files.mjs';

const STATE_TABLES_PATH = 'contract/src/states.ts';
const GUARD_PATH = 'platform/state-machine.ts';

/** A statement that writes a state: `update t set … state = …`, or the start of one. */
const WRITES_STATE =
  /\b(?:update\s+[\w.]+(?:\s+(?:as\s+)?\w+)?\s+set|do\s+update\s+set)\b(?:(?!\bwhere\b)[^;])*?\bstate\s*=|[`']state = /i;
const TABLE_NAME = /^export const (\w+Transitions)\b/gm;

/** Returns messages about a second state guard, and about state tables that the server or the tests do not read. */
export function checkStates(files) {
  const sources = files.filter(({ path }) => isSource(path));
  const tables = [...(files.find(({ path }) => path === STATE_TABLES_PATH)?.text ?? '').matchAll(TABLE_NAME)].map(
    ([, name]) => name,
  );
  return [...tables.flatMap((table) => readers(table, sources)), ...sources.flatMap(guardErrors)];
}

function readers(table, sources) {
  const isReadBy = (where, alsoHas = '') =>
    sources.some(
      ({ path, text }) => where.test(path) && new RegExp(`\\b${table}\\b`).test(text) && text.includes(alsoHas),
    );
  const missing = [];
  if (!isReadBy(/^server\/src\//, GUARD_PATH))
    missing.push(`${STATE_TABLES_PATH}: no guard of the server reads ${table}.`);
  if (!isReadBy(/^(server|contract)\/test\//)) missing.push(`${STATE_TABLES_PATH}: no test reads ${table}.`);
  return missing;
}

function guardErrors({ path, text }) {
  if (!path.startsWith('server/src/') || path.endsWith(GUARD_PATH)) return [];
  const codeText = withoutComments(text);
  const ownGuard = /\bcanFollow\b|\b\w+Transitions(?:\[|\.\w)|\bkeys\(\w+Transitions\b/.exec(codeText);
  const stateWrite = WRITES_STATE.exec(codeText);
  return [
    ...(ownGuard
      ? [`${path}:${lineOf(codeText, ownGuard.index)} has ${ownGuard[0]}: ${GUARD_PATH} is the only state guard.`]
      : []),
    ...(stateWrite && path.includes('/modules/') && !codeText.includes(GUARD_PATH)
      ? [`${path}:${lineOf(codeText, stateWrite.index)} writes a state without ${GUARD_PATH}.`]
      : []),
  ];
}
