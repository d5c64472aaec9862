import { lineOf, withoutComments } from './files.mjs';

const PAGE = 'docs/runbooks/logs.md';
const SECTION = /^## Warnings and errors$[\s\S]*?(?=^## |(?![\s\S]))/m;
const ROW = /^\| `([^`]+)` +\|/gm;
const CALL = /\blog\s*(?:\.(?:warn|error|fatal)\(|\[)/g;
const FAILURE_MESSAGE = /\bfailureMessage: '([^']+)'/g;
const LAST_ARGUMENT = /(?:^|[,\s])(?:'([^']+)'|(failureMessage)),?\s*$/;

/**
 * Returns messages about warnings and errors of the server's log: each has one cause, a row in the page, and differs
 * from every other by more than one word.
 */
export function checkLogEntries(files) {
  const entries = files
    .filter(({ path }) => /^server\/src\/.*\.ts$/.test(path))
    .flatMap(({ path, text }) => entriesOf(path, withoutComments(text)));
  const page = files.find(({ path }) => path === PAGE)?.text ?? '';
  const rows = [...(SECTION.exec(page)?.[0] ?? '').matchAll(ROW)].map(([, message]) => message);
  const logged = new Set(entries.map(({ message }) => message));
  return [
    ...entries.flatMap(({ at, message }, index) =>
      problemsOf(message, entries.slice(0, index), rows).map((problem) => `${at} ${problem}`),
    ),
    ...rows.filter((row) => !logged.has(row)).map((row) => `${PAGE}: nothing logs "${row}".`),
  ];
}

function entriesOf(path, source) {
  const entryAt = (index, message) => ({ at: `${path}:${lineOf(source, index)}`, message });
  const calls = [...source.matchAll(CALL)].map(({ 0: call, index }) => ({
    index,
    text: argumentsAt(source, index + call.length),
  }));
  return [
    ...calls.flatMap(({ index, text }) => {
      const [, message, forwarded] = LAST_ARGUMENT.exec(text) ?? [];
      return forwarded ? [] : [entryAt(index, message)];
    }),
    ...[...source.matchAll(FAILURE_MESSAGE)].map(({ index, 1: message }) => entryAt(index, message)),
  ];
}

/** Text between a parenthesis that is open before `start` and the one that closes it. */
function argumentsAt(source, start) {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < source.length; end++) depth += { '(': 1, ')': -1 }[source[end]] ?? 0;
  return source.slice(start, end - 1);
}

function problemsOf(message, others, rows) {
  if (message === undefined) return ['logs a message that is no literal.'];
  const similar = others.find((other) => other.message !== undefined && isSimilar(other.message, message));
  return [
    ...(similar
      ? [`logs "${message}", and ${similar.at} "${similar.message}": they must differ by more than one word.`]
      : []),
    ...(rows.includes(message) ? [] : [`logs "${message}": describe it in ${PAGE}.`]),
  ];
}

/** Whether two messages are the same but for at most one word, which is other, missing or added. */
function isSimilar(one, other) {
  const [shorter, longer] = [one.split(' '), other.split(' ')].toSorted((a, b) => a.length - b.length);
  if (longer.length - shorter.length > 1) return false;
  const first = shorter.findIndex((word, index) => word !== longer[index]);
  if (first < 0) return true;
  return (
    longer.slice(first + 1).join(' ') === shorter.slice(longer.length === shorter.length ? first + 1 : first).join(' ')
  );
}
