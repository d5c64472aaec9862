import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';

/** The terms that oxlint refuses in comments. */
const terms = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')).rules['no-warning-comments'][1].terms;

/** Matches a term that oxlint refuses in comments; documents and titles of tests avoid it too. */
export const BANNED_TERMS = new RegExp(String.raw`(?<![\w-])(?:${terms.join('|')})(?![\w-])`, 'gi');
