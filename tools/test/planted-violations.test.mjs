// Each tool rule must report a violation planted in a small tree, and accept the permitted form.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { checkImports } from '../deps.mjs';
import { projectNode, ROOT } from '../install.mjs';

const sourceOfLines = (count) => 'void 0;\n'.repeat(count);
const OTP_MODULE = 'server/src/modules/otp';

/** Path, content, and the rule of oxlint that reports it. */
const FORBIDDEN_CODE = [
  [`${OTP_MODULE}/env.ts`, 'export const port = process.env.PORT;', 'no-restricted-properties'],
  [`${OTP_MODULE}/now.ts`, 'export const now = Date.now();', 'no-restricted-properties'],
  [`${OTP_MODULE}/elapsed.ts`, 'export const since = performance.now();', 'no-restricted-properties'],
  [`${OTP_MODULE}/random.ts`, 'export const draw = Math.random();', 'no-restricted-properties'],
  [`${OTP_MODULE}/uuid.ts`, 'export const id = crypto.randomUUID();', 'no-restricted-properties'],
  [`${OTP_MODULE}/bytes.ts`, "import { randomBytes } from 'node:crypto';\nrandomBytes(1);", 'no-restricted-imports'],
  [`${OTP_MODULE}/fetch.ts`, "await fetch('http://bank');", 'no-restricted-globals'],
  [`${OTP_MODULE}/standby.ts`, 'standby.of(1);', 'no-restricted-properties'],
  [`${OTP_MODULE}/fixed.ts`, 'export const text = amount.toFixed(2);', 'no-restricted-properties'],
  ['contract/src/float.ts', "export const sum = parseFloat('1');", 'no-restricted-globals'],
  ['contract/src/number.ts', "export const sum = Number.parseFloat('1');", 'no-restricted-properties'],
  ['contract/src/long.ts', sourceOfLines(401), 'max-lines'],
  ['contract/src/function.ts', `export function f() {\n${sourceOfLines(71)}}`, 'max-lines-per-function'],
  ['server/test/function.ts', `export function f() {\n${sourceOfLines(121)}}`, 'max-lines-per-function'],
  ['contract/src/CamelCase.ts', 'export {};', 'filename-case'],
  ['contract/src/later.ts', `// ${'TO'}${'DO'}: more`, 'no-warning-comments'],
  ['contract/src/phrase.ts', '/** Credits the money that the bank has of theirs. */', 'no-warning-comments'],
  ['contract/src/identifier.ts', 'export const told = 1;', 'id-denylist'],
  ['server/test/only.test.ts', "test.only('x', () => {});", 'no-restricted-properties'],
  ['e2e/journeys/skip.spec.ts', "test.skip('x', () => {});", 'no-restricted-properties'],
  ...newerThanSupported().map((code, index) => [`web/src/use-${index}.ts`, code, 'no-restricted-']),
];

const PERMITTED_CODE = [
  ['server/src/platform/config.ts', 'export const port = process.env.PORT;'],
  ['server/src/platform/ids.ts', "import { randomBytes } from 'node:crypto';\nrandomBytes(1);"],
  ['server/src/platform/http/outbound.ts', "await fetch('http://bank');"],
  [`${OTP_MODULE}/hash.ts`, "import { createHash } from 'node:crypto';\ncreateHash('sha256');"],
  ['web/src/fetch.ts', "await fetch('/api');\nAbortSignal.timeout(1);"],
  ['web/src/local.ts', 'const navigation = {};\nexport const scheduler = navigation;'],
  ['contract/src/comment.ts', '// Holds the amount until the bank has confirmed it.'],
  ['contract/src/short.ts', sourceOfLines(400)],
  ['server/test/short.ts', `export function f() {\n${sourceOfLines(110)}}`],
];

/** A use of each function that the supported browsers lack. Omitted names are also methods of other objects. */
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

/** Writes files below a new folder, runs `check` on it, removes the folder. */
async function inTemporaryTree(files, check) {
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
  const lintReports = await inTemporaryTree([...FORBIDDEN_CODE, ...PERMITTED_CODE], (tree) => {
    // Rules that need types take minutes outside a project.
    const config = { ...JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')), options: {} };
    writeFileSync(join(tree, '.oxlintrc.json'), JSON.stringify(config));
    return JSON.parse(run(tree, 'oxlint', '--format', 'json').stdout).diagnostics;
  });
  const rulesAt = (path) => lintReports.filter(({ filename }) => filename === path).map(({ code = '' }) => code);
  for (const [path, text, rule] of FORBIDDEN_CODE)
    assert.ok(
      rulesAt(path).some((code) => code.includes(rule)),
      `${path}: ${text.split('\n')[0]} → ${rule}`,
    );
  const guardedRules = /no-restricted|no-warning|id-denylist|max-lines|filename-case/;
  for (const [path] of PERMITTED_CODE)
    assert.deepEqual(
      rulesAt(path).filter((code) => guardedRules.test(code)),
      [],
      path,
    );
});

/** Importing file, imported file or package, and the rule of dependency-cruiser that reports it. */
const FORBIDDEN_IMPORTS = [
  ['web/src/main.tsx', '../../server/src/app.ts', 'workspace-web'],
  ['server/src/app.ts', '../../web/src/app.tsx', 'workspace-server'],
  ['server/test/a.test.ts', '../../web/src/app.tsx', 'workspace-server-test'],
  ['simulators/src/main.ts', '@krapao/contract/errors', 'workspace-simulators'],
  ['phrases/src/check.ts', '../../server/src/app.ts', 'workspace-phrases'],
  ['contract/src/errors.ts', 'pg', 'contract-on-zod'],
  ['server/src/platform/jobs/queues.ts', '../../ledger/index.ts', 'layer-platform'],
  ['server/src/ledger/writer.ts', '../modules/account/index.ts', 'layer-ledger'],
  ['server/src/adapters/sms.ts', '../ledger/index.ts', 'layer-adapters'],
  ['server/src/modules/account/sessions.ts', '../../compose.ts', 'layer-modules'],
  ['server/src/doctor/a.ts', '../modules/otp/index.ts', 'layer-doctor'],
  ['server/src/modules/account/a.ts', '../../ledger/writer.ts', 'ledger-index-only'],
  ['server/src/compose.ts', './modules/otp/send-otp.ts', 'module-index-only'],
  ['server/src/modules/account/b.ts', '../otp/queries.ts', 'module-account'],
  ['server/src/modules/otp/a.ts', '../account/index.ts', 'module-otp'],
  ['server/src/modules/deposit/slip/a.ts', '../truelink/index.ts', 'module-deposit/slip'],
  ['server/src/modules/otp/send-otp.ts', './index.ts', 'module-index-on-top'],
  ['server/src/modules/otp/b.ts', './http.ts', 'http-from-index'],
  ['server/src/modules/otp/c.ts', '../../platform/http/route.ts', 'routes-in-http'],
  ['server/src/modules/otp/otp.ts', './queries.ts', 'rules-without-queries'],
  ['server/src/modules/deposit/slip/slip.ts', './slip-queries.ts', 'rules-without-queries'],
  ['server/src/main.ts', './cli/krapao.ts', 'cli-on-top'],
  ['server/src/modules/otp/queries.ts', 'pg', 'driver-in-database'],
  ['server/src/adapters/payout.ts', 'node:https', 'outbound-only'],
  ['web/src/features/login/a.tsx', '../register/step.tsx', 'feature-to-feature'],
  ['web/src/ui/core/button.tsx', 'wouter', 'ui-without-data'],
  ['web/src/ui/core/card.tsx', '@krapao/contract/errors', 'ui-without-data'],
  ['web/src/ui/tabs.tsx', '../api/call.ts', 'layer-ui'],
  ['web/src/format/money.ts', '../features/login/a.tsx', 'layer-format'],
  ['web/src/browser/a.ts', '../i18n/i18n.ts', 'layer-browser'],
  ['web/src/i18n/a.ts', '../api/call.ts', 'layer-i18n'],
  ['web/src/api/call.ts', '../ui/tabs.tsx', 'layer-api'],
  ['web/src/api/session.ts', 'wouter', 'api-without-router'],
  ['web/src/api/upload.ts', 'zod', 'no-schemas-in-browser'],
  ['web/src/shared/wallet.ts', '../features/home/total.ts', 'layer-shared'],
  ['web/src/routing/a.ts', '../shell/frame.tsx', 'layer-routing'],
  ['web/src/shell/a.tsx', '../member/wallet.ts', 'layer-shell'],
  ['web/src/member/a.ts', '../ui/tabs.tsx', 'layer-member'],
  ['web/src/screens/b.tsx', '../main.tsx', 'layer-screens'],
  ['web/src/design/a.tsx', '../api/call.ts', 'layer-design'],
  ['web/src/worker/a.ts', '../routing/router.ts', 'layer-worker'],
  ['web/src/features/home/a.ts', '../../screens/a.tsx', 'layer-features'],
  ['server/src/app-a.ts', './platform/utils.ts', 'file-names'],
  ['server/src/ledger/one.ts', './other.ts', 'no-cycle'],
];

const PERMITTED_IMPORTS = [
  ['server/src/modules/account/http.ts', './c.ts'],
  ['server/src/modules/account/file-http.ts', '../../platform/http/route.ts'],
  ['server/src/modules/account/c.ts', '../../ledger/index.ts'],
  ['server/src/modules/account/d.ts', '../otp/index.ts'],
  ['server/src/modules/account/e.ts', '@krapao/contract/errors'],
  ['server/src/platform/database/a.ts', 'pg'],
  ['server/test/b.test.ts', '../../simulators/src/main.ts'],
  ['web/src/features/login/b.tsx', '../../ui/button.tsx'],
  ['contract/src/money.ts', 'zod'],
];

const fileImporting = ([path, specifier]) => [path, `import '${specifier}';`];
const importedPath = ([path, specifier]) => posix.join(posix.dirname(path), specifier);

test('dependency-cruiser reports each planted import, and a workspace or module without rules', async () => {
  const workspaces = ['contract', 'phrases', 'web', 'server', 'simulators', 'backoffice'];
  const allImports = [...FORBIDDEN_IMPORTS, ...PERMITTED_IMPORTS];
  const packages = ['pg', 'zod', 'wouter'];
  const files = [
    ...allImports.filter(([, specifier]) => specifier.startsWith('.')).map((entry) => [importedPath(entry), '']),
    ...allImports.map(fileImporting),
    ...packages.map((name) => [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })]),
    ...packages.map((name) => [`node_modules/${name}/index.js`, '']),
    ['package.json', JSON.stringify({ workspaces })],
    ['contract/package.json', '{"name":"@krapao/contract","exports":{"./*":"./src/*.ts"}}'],
    ['node_modules/@krapao/a', ''],
    ['server/src/ledger/other.ts', "import './one.ts';"],
    ['server/src/modules/lottery/index.ts', ''],
    ['web/src/backstage/a.ts', ''],
    ['web/src/type.ts', "import type { z } from 'zod';"],
  ];
  const messages = await inTemporaryTree(files, (tree) => {
    symlinkSync(join(tree, 'contract'), join(tree, 'node_modules/@krapao/contract'));
    return checkImports(tree, files.length);
  });
  for (const [path, specifier, rule] of FORBIDDEN_IMPORTS)
    assert.ok(
      messages.some((message) => message.startsWith(`${path} imports`) && message.endsWith(`(${rule})`)),
      `${path} → ${specifier}: ${rule}`,
    );
  for (const [path] of PERMITTED_IMPORTS)
    assert.deepEqual(
      messages.filter((message) => message.startsWith(`${path} `)),
      [],
    );
  for (const expectedText of [
    /has no workspace backoffice/,
    /has no module lottery/,
    /has no web folder backstage/,
    /Only \d+ modules were read/,
    /nothing uses/,
  ])
    assert.match(messages.join('\n'), expectedText);
});

test('cspell reports misspelled words of documents and comments, and none of code', async () => {
  const files = [
    ['docs/a.md', 'The bank will recieve it: `recieve`.'],
    ['server/src/a.ts', '// The adress of the bank.\nexport const adres = 1;'],
    ['server/src/b.ts', "export const adres = 'recieve';"],
    ['docs/b.md', 'The colour of the color.'],
    ['web/src/a.css', '/* Told by the page. */\n.told {\n}\n'],
  ];
  const output = await inTemporaryTree(files, (tree) => {
    cpSync(join(ROOT, 'cspell.json'), join(tree, 'cspell.json'));
    return run(tree, 'cspell', 'lint', '--no-progress', '--no-summary', '--no-color').stdout;
  });
  assert.match(output, /docs\/a\.md:1:15 .*recieve/);
  assert.match(output, /server\/src\/a\.ts:1:8 .*adress/);
  assert.match(output, /web\/src\/a\.css:1:4 .*Told/);
  assert.equal(output.trim().split('\n').length, 3, output);
});

test('markdownlint reports broken documents', async () => {
  const files = [
    ['docs/a.md', '# A\n\n### Skipped a level\n'],
    ['docs/b.md', '# A\n\n| a | b |\n| --- | --- |\n| one |\n'],
    ['docs/c.md', '# A\n\nSee [here](a.md).\n'],
    ['docs/d.md', `# A\n\n${'long '.repeat(25)}line.\n`],
    ['docs/e.md', '# A\n\n```\nnpm test\n```\n'],
    ['docs/f.md', `# A\n\n${'long '.repeat(23)}line.\n\n| ${'long '.repeat(25)}|\n| --- |\n`],
  ];
  const output = await inTemporaryTree(files, (tree) => {
    cpSync(join(ROOT, '.markdownlint-cli2.jsonc'), join(tree, '.markdownlint-cli2.jsonc'));
    return run(tree, 'markdownlint-cli2').stderr;
  });
  assert.match(output, /a\.md:3 .*MD001/);
  assert.match(output, /b\.md:5.* MD056/);
  assert.match(output, /c\.md:3.* MD059/);
  assert.match(output, /d\.md:3.* MD013/);
  assert.match(output, /e\.md:3.* MD040/);
  assert.doesNotMatch(output, /f\.md/);
});
