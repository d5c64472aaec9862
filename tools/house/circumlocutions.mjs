import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { lineOf } from './files.mjs';

const RECORD = 'tools/house/circumlocutions.json';
const SOURCE = /\.(?:ts|tsx|mjs|js|css)$|^docs\/(?:runbooks|decisions)\/.*\.md$/;
// Texts for people, applied migrations (their hash is stored), and this list itself.
const EXCEPT = /^(?:phrases|server\/migrations)\/|^tools\/(?:house|test)\/circumlocutions/;
const SHOWN_MAX = 20;

/** The circumlocutions of docs/style.md, each with the term to write instead. */
const CIRCUMLOCUTIONS = [
  { what: /\bwhoever\b/gi, write: 'the role: caller, client, member, operator, node' },
  {
    // Not in code and addresses: a name in a test, the user of the operating system.
    what: /(?<![./-])\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b(?!['"`:/\\-]|\.\w| =)/g,
    write: 'the role: no caller, another node, any member; or the passive: "is not read"',
  },
  {
    what: /\bwhat (?:(?:has|had|will|may) )?(?:becomes?|became|comes?|came) of\b/gi,
    write: 'the outcome, the result, the state',
  },
  { what: /\b(?:let|lets|letting) go of\b/gi, write: 'releases, closes, drains' },
  { what: /\b(?:is|are|was|were|be|been|being) told\b/gi, write: 'is notified, receives, is refused with, returns' },
  { what: /\bthe one (?:that|who)\b/gi, write: 'the noun that is meant' },
  {
    what: /\b(?:answer|value|state|row|one)s? of before\b|\bas it was before\b/gi,
    write: 'the replay, the previous one, unchanged',
  },
  { what: /\bwho asks\b/gi, write: 'the caller' },
  { what: /\b(?:hears?|heard) of\b/gi, write: 'receives, learns of, is notified of' },
  { what: /\banew\b/gi, write: 'again, or what it is: retries, restarts, renews' },
  { what: /\bside by side\b|\bin one breath\b/gi, write: 'concurrently, in the same transaction, atomically' },
  { what: /\b(?:more and more seldom|(?:ever|always) less often)\b/gi, write: 'backs off' },
  { what: /\b(?:get|gets|got|getting) through\b/gi, write: 'succeeds, fails, times out' },
  { what: /\ba while ago\b/gi, write: 'stale, expired, cached' },
  { what: /\b(?:ask|asks|asked|wait|waits|waited) in vain\b/gi, write: 'without an answer, times out' },
  { what: /\bwhat is to come\b/gi, write: 'skeleton, placeholder' },
];

/** Folders that are counted by themselves; everything else counts for its workspace. */
const FOLDER = /^(?:server\/src\/[\w-]+|server\/test\/(?:harness|ledger|platform)|server\/test|[\w-]+)\//;
const folderOf = (path) => (FOLDER.exec(path)?.[0] ?? './').slice(0, -1);

/** Every circumlocution in the programs, the runbooks and the decision records: `{folder, sentence}`. */
export function findCircumlocutions(files) {
  return files
    .filter(({ path }) => SOURCE.test(path) && !EXCEPT.test(path))
    .flatMap(({ path, text }) =>
      CIRCUMLOCUTIONS.flatMap(({ what, write }) =>
        [...text.matchAll(what)].map((match) => ({
          folder: folderOf(path),
          sentence: `${path}:${lineOf(text, match.index)} says "${match[0]}": write ${write}.`,
        })),
      ),
    );
}

/**
 * Circumlocutions above the recorded number of their folder; a folder without a record has none. Answers sentences.
 * @param record numbers by folder, which may only fall
 */
export function checkCircumlocutions(files, record = readRecord()) {
  return [...byFolder(findCircumlocutions(files))].flatMap(([folder, sentences]) => {
    const allowed = record[folder] ?? 0;
    if (sentences.length <= allowed) return [];
    const heading =
      allowed === 0 ? [] : [`${folder} has ${sentences.length} circumlocutions, recorded are ${allowed}:`];
    return [...heading, ...sentences.slice(0, SHOWN_MAX)];
  });
}

/** Records numbers that have fallen. */
export function recordCircumlocutions(files) {
  const found = byFolder(findCircumlocutions(files));
  const lowered = Object.entries(readRecord())
    .map(([folder, allowed]) => [folder, Math.min(allowed, found.get(folder)?.length ?? 0)])
    .filter(([, count]) => count > 0);
  writeFileSync(join(ROOT, RECORD), `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}

const readRecord = () => JSON.parse(readFileSync(join(ROOT, RECORD), 'utf8'));

function byFolder(found) {
  const sentences = new Map();
  for (const { folder, sentence } of found) sentences.set(folder, [...(sentences.get(folder) ?? []), sentence]);
  return sentences;
}
