import { isSource, lineOf, withoutComments } from './files.mjs';

const SQL_STATEMENT =
  /\bselect\b[\s\S]{0,200}?\bfrom\b|\binsert into\b|\bupdate\b[\s\S]{0,80}?\bset\b|\bdelete from\b/gi;
const LEDGER_TABLE = /\bledger\.(?:account|operation|entry|batch|lane)\b(?!\()|\bpost_batch\b/g;
/** Statements of another kind, several in one text, or with a value in the text. */
const NOT_PREPARABLE =
  /\.query(?:<[^;()]*>)?\(\s*(?:[`'](?!\s*(?:select|with|insert|update|delete|listen|lock)\b|\s*\$)|`[^`]*;|`[^`]*\$\{(?!(?:column|assignmentsSql)\})[a-z]\w*\})/g;

const SQL_RULES = [
  {
    what: SQL_STATEMENT,
    in: /^server\/src\/modules\/(?!.*queries\.ts$)/,
    why: 'the SQL of a module is in its queries.ts',
    inStrings: true,
  },
  { what: LEDGER_TABLE, in: /^server\/src\/(?!ledger\/)/, why: 'only the ledger names its tables', inStrings: true },
  {
    what: NOT_PREPARABLE,
    // The audit and the comparison run once per operator command; each ledger lane has its own statements.
    in: /^server\/src\/(?:modules\/(?!reconcile\/index\.ts|statement\/pack-period\.ts)|ledger\/(?!(?:audit|connection)\.ts)|platform\/(?:idempotency|state-machine|jobs\/(?:resolver|queues)))/,
    why: 'a statement is one select, insert, update or delete of constant text, so that it can be prepared',
  },
];

/** Returns messages about SQL outside of queries, ledger tables elsewhere, and statements that can't be prepared. */
export function checkSql(files) {
  return files
    .filter(({ path }) => path.startsWith('server/src/') && isSource(path))
    .flatMap(({ path, text }) => {
      const codeText = withoutComments(text);
      const strings = stringsOf(codeText);
      return SQL_RULES.filter((rule) => rule.in.test(path)).flatMap((rule) =>
        [...(rule.inStrings ? strings : codeText).matchAll(rule.what)].map(
          (match) => `${path}:${lineOf(codeText, match.index)} has ${match[0].split('\n')[0]}: ${rule.why}.`,
        ),
      );
    });
}

/** The strings of a program at their positions; all other text is blank. */
function stringsOf(codeText) {
  let strings = '';
  let lastIndex = 0;
  for (const match of codeText.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)) {
    strings += codeText.slice(lastIndex, match.index).replaceAll(/[^\n]/g, ' ') + match[0];
    lastIndex = match.index + match[0].length;
  }
  return strings;
}
