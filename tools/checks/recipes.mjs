import { lineOf } from './files.mjs';

const PAGES = /^docs\/(?:runbooks|deploy)\/.*\.md$/;
const CODE = /^( *)```[\s\S]*?^\1```$|(`+)[^`][\s\S]*?\2/gm;
/** SQL that changes rows or tables. `alter` and `update` need an object: both are words of other tools. */
const CHANGING_SQL =
  /\binsert\s+into\b|\bupdate\s+[\w.]+\s+set\b|\bdelete\s+from\b|\btruncate\s+(?:table\s+)?[a-z_]+|\b(?:alter|drop|create)\s+(?:table|role|user|database|schema|view|index|function|trigger|system)\b/gi;

/** Administration of PostgreSQL itself, which no command of the product does: statement and reason by page. */
const ADMINISTRATION = {
  'docs/deploy/backup.md': { 'alter role': 'pg_basebackup needs a user that may replicate' },
  'docs/deploy/cluster.md': { 'create role': 'first user', 'create database': 'first database' },
};

/** Returns messages about recipes for operators that change data by SQL: a command checks and logs what it changes. */
export function checkRecipes(files) {
  return files
    .filter(({ path }) => PAGES.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(CODE)].flatMap(({ 0: code, index }) =>
        [...code.matchAll(CHANGING_SQL)]
          .filter(([sql]) => !Object.hasOwn(ADMINISTRATION[path] ?? {}, sql.toLowerCase().replaceAll(/\s+/g, ' ')))
          .map((match) => `${path}:${lineOf(text, index + match.index)} has "${match[0]}": print a command instead.`),
      ),
    );
}
