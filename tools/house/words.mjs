import { posix } from 'node:path';
import { isSource, lineOf } from './files.mjs';

const LINES_MAX = 400;
const DECISION_LINES_MAX = 30;

/** What has no place in any file. Spelled so that this list does not find itself. */
const FORBIDDEN = [
  { what: /\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/g, why: 'do it, or leave it out' },
  {
    what: /registry\.(?:npm)js\.org|registry\.(?:yarn)pkg\.com|npm\.(?:pkg)\.github\.com/g,
    why: 'no package registry is named',
  },
  {
    what: /\b(?:cla[u]de|anthro[p]ic|open[a]i|chat[g]pt|cop[i]lot|language mod[e]l)\b/gi,
    why: 'the repository speaks of the product alone',
  },
  {
    what: /\b(?:specification|requirements|rules|brief|errors)\.m[d]\b(?!\))|\/wor[k]\//g,
    why: 'nothing outside this repository is named',
    except: /^docs\/|^ARCHITECTURE\.md$|README|^\.ci\//,
  },
  {
    what: /\b(?:spec|specification|brief|issue|ticket) (?:say[s]|ask[s]|want[s]|#\d)/gi,
    why: 'the repository speaks of the product alone',
  },
  { what: /-----BEGIN [A-Z ]*PRIVATE KE[Y]-----/g, why: 'no secret stands in the repository' },
];

const IN_TESTS = [
  {
    what: /\b(?:test|it|describe|suite)\.(?:only|skip|todo|fixme)\(|\{\s*(?:only|skip|todo):\s*true/g,
    why: 'every test runs, always',
  },
];

/** Folders whose files are of one part: a larger one has parts that deserve a folder. */
const BOUNDED_FOLDER = /^web\/src\//;
const FILES_MAX = 15;

const NAMELESS = /^(?:utils?|helpers?|misc|common|shared|index|types|stuff)\.(?:ts|tsx|mjs|js)$/;

/** Words, names and sizes. Answers sentences. */
export function checkWords(files) {
  return files
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap(({ path, text }) => [
      ...find(path, text, FORBIDDEN),
      ...(/\.(test|spec)\.tsx?$/.test(path) ? find(path, text, IN_TESTS) : []),
      ...names(path),
      ...sizes(path, text),
    ])
    .concat(crowded(files));
}

function find(path, text, rules) {
  return rules
    .filter(({ except }) => !except?.test(path))
    .flatMap(({ what, why }) =>
      [...text.matchAll(what)].map((match) => `${path}:${lineOf(text, match.index)} says "${match[0]}": ${why}.`),
    );
}

function names(path) {
  const name = posix.basename(path);
  return isSource(path) && !path.startsWith('tools/') && NAMELESS.test(name)
    ? [`${path}: a file is named for what it holds, not ${name}.`]
    : [];
}

function sizes(path, text) {
  const lines = text.split('\n').length - 1;
  if (path.startsWith('docs/decisions/') && lines > DECISION_LINES_MAX)
    return [`${path} has ${lines} lines; a decision has at most ${DECISION_LINES_MAX}.`];
  if ((isSource(path) || path.endsWith('.css')) && lines > LINES_MAX)
    return [`${path} has ${lines} lines; a file has at most ${LINES_MAX}.`];
  return [];
}

function crowded(files) {
  const folders = new Map();
  for (const { path } of files) {
    if (!BOUNDED_FOLDER.test(path) || !isSource(path)) continue;
    folders.set(posix.dirname(path), (folders.get(posix.dirname(path)) ?? 0) + 1);
  }
  return [...folders]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder} has ${count} source files; a folder of the app has at most ${FILES_MAX}.`);
}
