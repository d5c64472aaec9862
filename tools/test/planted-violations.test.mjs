// Each rule of the tools finds a violation planted in a small tree, and leaves the permitted form alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectNode, ROOT } from '../install.mjs';

const lines = (count) => 'void 0;\n'.repeat(count);
const OTP = 'server/src/modules/otp';

/** Path, content, and the rule of oxlint that reports it. */
const FORBIDDEN_CODE = [
  [`${OTP}/env.ts`, 'export const port = process.env.PORT;', 'no-restricted-properties'],
  [`${OTP}/now.ts`, 'export const now = Date.now();', 'no-restricted-properties'],
  [`${OTP}/elapsed.ts`, 'export const since = performance.now();', 'no-restricted-properties'],
  [`${OTP}/random.ts`, 'export const draw = Math.random();', 'no-restricted-properties'],
  [`${OTP}/uuid.ts`, 'export const id = crypto.randomUUID();', 'no-restricted-properties'],
  [`${OTP}/bytes.ts`, "import { randomBytes } from 'node:crypto';\nrandomBytes(1);", 'no-restricted-imports'],
  [`${OTP}/fetch.ts`, "await fetch('http://bank');", 'no-restricted-globals'],
  [`${OTP}/standby.ts`, 'standby.of(1);', 'no-restricted-properties'],
  [`${OTP}/fixed.ts`, 'export const text = amount.toFixed(2);', 'no-restricted-properties'],
  ['contract/src/float.ts', "export const sum = parseFloat('1');", 'no-restricted-globals'],
  ['contract/src/number.ts', "export const sum = Number.parseFloat('1');", 'no-restricted-properties'],
  ['contract/src/long.ts', lines(401), 'max-lines'],
  ['contract/src/CamelCase.ts', 'export {};', 'filename-case'],
  ['contract/src/later.ts', `// ${'TO'}${'DO'}: more`, 'no-warning-comments'],
  ['contract/src/phrase.ts', '/** Credits the money that the bank has of theirs. */', 'no-warning-comments'],
  ['contract/src/identifier.ts', 'export const told = 1;', 'id-denylist'],
  ['server/test/only.test.ts', "test.only('x', () => {});", 'no-restricted-properties'],
  ['e2e/journeys/skip.spec.ts', "test.skip('x', () => {});", 'no-restricted-properties'],
  ...newerThanSupported().map((use, index) => [`web/src/use-${index}.ts`, use, 'no-restricted-']),
];

const PERMITTED_CODE = [
  ['server/src/platform/config.ts', 'export const port = process.env.PORT;'],
  ['server/src/platform/ids.ts', "import { randomBytes } from 'node:crypto';\nrandomBytes(1);"],
  ['server/src/platform/http/outbound.ts', "await fetch('http://bank');"],
  [`${OTP}/hash.ts`, "import { createHash } from 'node:crypto';\ncreateHash('sha256');"],
  ['web/src/fetch.ts', "await fetch('/api');\nAbortSignal.timeout(1);"],
  ['web/src/local.ts', 'const navigation = {};\nexport const scheduler = navigation;'],
  ['contract/src/comment.ts', '// Holds the amount until the bank has confirmed it.'],
  ['contract/src/short.ts', lines(400)],
];

/** A use of each function that the supported browsers lack. Other objects have methods of the names left out. */
function newerThanSupported() {
  const names = JSON.parse(readFileSync(join(ROOT, 'web/newer-than-supported.json'), 'utf8'));
  const isAmbiguous = (name) => /^Iterator\.prototype\.|\.size$|\.prototype\.(?:transfer|connection)$/.test(name);
  return names
    .filter((name) => !isAmbiguous(name))
    .map((name) => {
      const [owner, member, method] = name.split('.');
      if (member === undefined) return `export const use = ${owner};`;
      return `export const use = ${member === 'prototype' ? `${owner.toLowerCase()}.${method}` : name};`;
    });
}

/** Writes files below a new folder, runs `check` on it, removes it. */
async function inTree(files, check) {
  const tree = mkdtempSync(join(tmpdir(), 'krapao-planted-'));
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    return await check(tree);
  } finally {
    rmSync(tree, { recursive: true });
  }
}

const run = (tree, name, ...args) =>
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin', name), ...args], { cwd: tree, encoding: 'utf8' });

test('oxlint reports each planted violation and no permitted use', async () => {
  const reports = await inTree([...FORBIDDEN_CODE, ...PERMITTED_CODE], (tree) => {
    // Rules that need types take minutes outside a project.
    const config = { ...JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')), options: {} };
    writeFileSync(join(tree, '.oxlintrc.json'), JSON.stringify(config));
    return JSON.parse(run(tree, 'oxlint', '--format', 'json').stdout).diagnostics;
  });
  const rulesAt = (path) => reports.filter(({ filename }) => filename === path).map(({ code = '' }) => code);
  for (const [path, text, rule] of FORBIDDEN_CODE)
    assert.ok(
      rulesAt(path).some((code) => code.includes(rule)),
      `${path}: ${text.split('\n')[0]} → ${rule}`,
    );
  const guarded = /no-restricted|no-warning|id-denylist|max-lines|filename-case/;
  for (const [path] of PERMITTED_CODE)
    assert.deepEqual(
      rulesAt(path).filter((code) => guarded.test(code)),
      [],
      path,
    );
});
