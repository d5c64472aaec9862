// `node tools/run.mjs tools/checks/targets.mjs`: readability figures of the repository and their targets. Fails if one
// is missed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectNode, ROOT } from '../install.mjs';
import { isSource, repositoryFiles } from './files.mjs';

const SMALL_LINES = 30;
/** Generated pages and results of measurements do not count as documentation. */
const NOT_COUNTED = /^docs\/deploy\/(?:settings|outside-file)\.md$|^lab\/results\//;

const files = repositoryFiles();
const textOf = (name) => files.find(({ path }) => path === name)?.text ?? '';
const linesOf = ({ text }) => text.split('\n').length - 1;
const filesMatching = (pattern) => files.filter(({ path }) => pattern.test(path));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const atMost = (limit) => ({ text: `≤ ${limit}`, isMet: (value) => value <= limit });
const atLeast = (limit) => ({ text: `≥ ${limit}`, isMet: (value) => value >= limit });

function sizes(folder, { count, median, smallPercent }) {
  const lines = filesMatching(new RegExp(`^${folder}/`))
    .filter(({ path }) => isSource(path))
    .map(linesOf)
    .sort((first, second) => first - second);
  const smallCount = lines.filter((number) => number < SMALL_LINES).length;
  return [
    [`${folder}: files`, lines.length, atMost(count)],
    [`${folder}: median lines`, lines[Math.floor(lines.length / 2)], atLeast(median)],
    [
      `${folder}: % of files under ${SMALL_LINES} lines`,
      Math.round((smallCount / lines.length) * 100),
      atMost(smallPercent),
    ],
    [`${folder}: lines of the largest file`, lines.at(-1), atMost(400)],
  ];
}

/** Number of oxlint reports of a rule in all code, with the options of .oxlintrc.json and without its exceptions. */
function reportsOf(rule) {
  const { rules, ignorePatterns } = JSON.parse(textOf('.oxlintrc.json'));
  const folder = mkdtempSync(join(tmpdir(), 'krapao-targets-'));
  try {
    const config = join(folder, 'config.json');
    const offConfig = { plugins: [], categories: { correctness: 'off' } };
    writeFileSync(config, JSON.stringify({ ...offConfig, ignorePatterns, rules: { [rule]: rules[rule] } }));
    const args = [join(ROOT, 'node_modules/.bin/oxlint'), '--config', config, '--format', 'json'];
    const { stdout } = spawnSync(projectNode(), args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 27 });
    return JSON.parse(stdout).diagnostics.length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Database functions that encode outcomes as single letters; the two functions of a ledger command count once. */
function letterAlphabets() {
  const functions = filesMatching(/^server\/sql\/.*\.sql$/).flatMap(({ text }) => [
    ...text.matchAll(/function ([\w.]+)\([\s\S]*?\$\$([\s\S]*?)\$\$/g),
  ]);
  const encodedFunctions = functions.filter(([, , body]) => /\b(?:then|else|return)\s+'[A-Za-z]'/i.test(body));
  return new Set(encodedFunctions.map(([, name]) => name.replace(/_(?:admit|refused)$/, ''))).size;
}

const documents = filesMatching(/\.md$/).filter(({ path }) => !NOT_COUNTED.test(path));
const figures = [
  // The number of files grows with features; median and share of small files do not.
  ...sizes('server/src', { count: 410, median: 100, smallPercent: 5 }),
  ...sizes('web/src', { count: 290, median: 69, smallPercent: 20 }),
  ['letter alphabets', letterAlphabets(), atMost(1)],
  ['comments with banned terms', reportsOf('no-warning-comments'), atMost(29)],
  ['banned identifiers', reportsOf('id-denylist'), atMost(0)],
  ['lines of README.md', linesOf({ text: textOf('README.md') }), atMost(65)],
  [
    'words of documentation',
    sum(documents.map(({ text }) => text.split(/\s+/).filter(Boolean).length)),
    atMost(46_000),
  ],
  ['decision records', filesMatching(/^docs\/decisions\/(?!README).*\.md$/).length, atMost(38)],
  ['npm scripts', Object.keys(JSON.parse(textOf('package.json')).scripts).length, atMost(15)],
  ['lines of own checks', sum(filesMatching(/^tools\/checks\/(?!targets)/).map(linesOf)), atMost(560)],
];

for (const [name, value, target] of figures) {
  const isMet = target.isMet(value);
  console.log(`${isMet ? '✔' : '✖'} ${name.padEnd(44)} ${String(value).padStart(7)}   ${target.text}`);
  if (!isMet) process.exitCode = 1;
}
