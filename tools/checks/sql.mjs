import { isSource, lineOf, withoutComments } from './files.mjs';

const STATEMENT = /\bselect\b[\s\S]{0,200}?\bfrom\b|\binsert into\b|\bupdate\b[\s\S]{0,80}?\bset\b|\bdelete from\b/gi;
const LEDGER_TABLE = /\bledger\.(?:account|operation|entry|batch|lane)\b(?!\()|\bpost_batch\b/g;
/** Another kind of statement, several in one text, or a value in the text. */
const NOT_PREPARABLE =
  /\.query(?:<[^;()]*>)?\(\s*(?:[`'](?!\s*(?:select|with|insert|update|delete|listen|lock)\b|\s*\$)|`[^`]*;|`[^`]*\$\{(?!(?:column|assignmentsSql)\})[a-z]\w*\})/g;

const RULES = [
  {
    what: STATEMENT,
    in: /^server\/src\/modules\/(?!.*queries\.ts$)/,
    why: 'the SQL of a module is in its queries.ts',
    inStrings: true,
  },
  { what: LEDGER_TABLE, in: /^server\/src\/(?!ledger\/)/, why: 'only the ledger names its tables', inStrings: true },
  {
    what: NOT_PREPARABLE,
    // The audit and the comparison run once per operator command; a lane has statements of its own.
    in: /^server\/src\/(?:modules\/(?!reconcile\/index\.ts)|ledger\/(?!(?:audit|connection)\.ts)|platform\/(?:idempotency|state-machine|jobs\/(?:resolver|queues)))/,
    why: 'a statement is one select, insert, update or delete of constant text, so that it can be prepared',
  },
];

/** Messages about SQL outside of queries, tables of the ledger outside of it, and statements that can't be prepared. */
export function checkSql(files) {
  return files
    .filter(({ path }) => path.startsWith('server/src/') && isSource(path))
    .flatMap(({ path, text }) => {
      const program = withoutComments(text);
      const strings = stringsOf(program);
      return RULES.filter((rule) => rule.in.test(path)).flatMap((rule) =>
        [...(rule.inStrings ? strings : program).matchAll(rule.what)].map(
          (match) => `${path}:${lineOf(program, match.index)} has ${match[0].split('\n')[0]}: ${rule.why}.`,
        ),
      );
    });
}

/** The strings of a program at their positions; everything else is blank. */
function stringsOf(program) {
  let kept = '';
  let last = 0;
  for (const match of program.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)) {
    kept += program.slice(last, match.index).replaceAll(/[^\n]/g, ' ') + match[0];
    last = match.index + match[0].length;
  }
  return kept;
}
