import { BANNED_TERMS } from './banned-terms.mjs';
import { isSource, lineOf, withoutComments } from './files.mjs';

/** Excludes the requirements, texts for members, and pages that list the banned terms. */
const DOCUMENT_PATH =
  /^(?!phrases\/|docs\/(?:specification|requirements|wording|style|glossary)\.md$).*\.(?:md|sh|ya?ml)$/;
/** Quoted code and output in a document. */
const QUOTED_TEXT = /```[\s\S]*?```|`[^`\n]*`/g;

const BANNED_RULE = {
  what: BANNED_TERMS,
  in: DOCUMENT_PATH,
  why: 'use the term of the field (docs/style.md)',
};

/** Patterns are written so that they do not match this file. */
const FORBIDDEN_RULES = [
  {
    what: /registry\.(?:npm)js\.org|registry\.(?:yarn)pkg\.com|npm\.(?:pkg)\.github\.com/g,
    in: /^(?!package-lock\.json$)/,
    why: 'no file names a package registry',
  },
  { what: /-----BEGIN [A-Z ]*PRIVATE KE[Y]-----/g, in: /./, why: 'no file holds a secret' },
  {
    what: /\b(?:cla[u]de|anthro[p]ic|open[a]i|chat[g]pt|cop[i]lot|language mod[e]l)\b|\b(?:spec|specification|brief|issue|ticket) (?:say[s]|ask[s]|want[s]|#\d)|\/wor[k]\//gi,
    in: /./,
    why: 'the repository describes the product alone',
  },
];

/** Code that only one file may contain, where oxlint has no rule for it. */
const RESERVED_RULES = [
  { what: /\bnew Date\(\)/g, in: /^server\/src\/(?!platform\/time\.ts)/, why: 'only platform/time.ts reads the clock' },
  {
    what: /'IDEMPOTENCY_KEY_REUSED'/g,
    in: /^server\/src\/(?!platform\/idempotency\.ts)/,
    why: 'only platform/idempotency.ts runs commands by idempotency key',
  },
  { what: /\bhit\(\{/g, in: /^server\/src\/modules\//, why: 'only operator-data/limits.ts composes a limit' },
  {
    // Settings are exempt: operators write them.
    what: /(?<!(?:defineGateway\(|(?:[sS]ettings|[cC]onfig) = z)[^;]*)\bz\s*\.string\(\)(?!\s*\.regex\()/g,
    in: /^server\/(?:src|test\/fixtures\/[\w-]+)\/adapters\/(?!outside-text\.ts|game\/config\.ts|outside-fields\.ts)/,
    why: 'text from outside is parsed with outside-text.ts: the database refuses some characters',
  },
];

/** Returns messages about banned terms in documents, forbidden text, and reserved code outside of its file. */
export function checkVocabulary(files) {
  return files.flatMap(({ path, text }) => [
    ...find(path, text, FORBIDDEN_RULES),
    ...find(path, text.replaceAll(QUOTED_TEXT, blankOut), [BANNED_RULE]),
    ...(isSource(path) ? find(path, withoutComments(text), RESERVED_RULES) : []),
  ]);
}

const blankOut = (quoted) => quoted.replaceAll(/[^\n]/g, ' ');

function find(path, text, rules) {
  return rules
    .filter((rule) => rule.in.test(path))
    .flatMap(({ what, why }) =>
      [...text.matchAll(what)].map((match) => `${path}:${lineOf(text, match.index)} has "${match[0]}": ${why}.`),
    );
}
