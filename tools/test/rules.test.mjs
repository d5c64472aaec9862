import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkCommentNames } from '../checks/comment-names.mjs';
import { checkGateways } from '../checks/gateways.mjs';
import { checkGlossary } from '../checks/glossary.mjs';
import { checkGuideChanges, checkGuideCode } from '../checks/guide-code.mjs';
import { checkLinks } from '../checks/links.mjs';
import { checkLogEntries } from '../checks/log-entries.mjs';
import { checkRecipes } from '../checks/recipes.mjs';
import { checkSettings, settingsText } from '../checks/settings.mjs';
import { checkSql } from '../checks/sql.mjs';
import { checkStates } from '../checks/states.mjs';
import { checkTestTitles } from '../checks/titles.mjs';
import { checkVocabulary } from '../checks/vocabulary.mjs';
import { ROOT } from '../install.mjs';
import { failuresOf } from './failures.mjs';
import { countReport } from './node/node-tests.mjs';

/** Messages of a check about a single file. */
const messagesAbout = (check, path, text) => check([{ path, text }]).filter((message) => message.startsWith(path));

test('links in documents to missing files are reported, others not', () => {
  for (const text of ['[a](gone.md)', '![a](gone.png)', '[a](../README.md#top) [b](gone.md#part)']) {
    assert.equal(messagesAbout(checkLinks, 'docs/some.md', text).length, 1, text);
  }
  for (const text of ['[a](ledger.md)', '[a](../README.md#top)', '[a](#part)', '[a](http://localhost:3000)']) {
    assert.deepEqual(messagesAbout(checkLinks, 'docs/some.md', text), [], text);
  }
});

test('operator recipes that change data by SQL are reported, others not [R-OPS-01]', () => {
  const countOf = (path, text) => messagesAbout(checkRecipes, path, text).length;
  const page = 'docs/runbooks/some.md';
  for (const sql of [
    "update operator_data_setting set value = '1'",
    'UPDATE public.game\n  SET is_hidden = true',
    'insert into invite_blocked values (1)',
    'delete from rate_limit',
    'truncate rate_limit',
    'alter table member add x int',
    'create role x',
  ]) {
    assert.equal(countOf(page, `Do this: \`${sql}\`.`), 1, sql);
    assert.equal(countOf(page, `\`\`\`sql\n${sql};\n\`\`\`\n`), 1, sql);
    assert.equal(countOf(page, `- **Fix**:\n\n  \`\`\`sh\n  psql -c "${sql}"\n  \`\`\`\n`), 1, sql);
  }
  for (const text of ['`select * from refund`', 'Never delete from a table.', '`apt-get update && x --set`']) {
    assert.equal(countOf(page, text), 0, text);
  }
  assert.equal(countOf('docs/deploy/backup.md', '`alter role krapao replication`'), 0);
  assert.equal(countOf('docs/deploy/backup.md', '`alter table member`'), 1);
  assert.equal(countOf('docs/style.md', '`delete from member`'), 0);
});

test('a log warning or error without a page, or too similar to another, is reported', () => {
  const rows = ['payout lost', 'job failed twice'].map((message) => `| \`${message}\` | x | y |`);
  const page = { path: 'docs/runbooks/logs.md', text: `## Warnings and errors\n\n${rows.join('\n')}\n\n## Other\n` };
  const problemsOf = (text) =>
    checkLogEntries([page, { path: 'server/src/a.ts', text: `log.warn({ job }, 'payout lost');\n${text}` }]);
  const described = "start({ failureMessage: 'job failed twice' });";
  assert.deepEqual(problemsOf(described), []);
  assert.deepEqual(problemsOf(`${described} log.error({ err }, failureMessage); log.info({}, 'other');`), []);
  for (const [violation, expected] of [
    ["deps.log.error({ err: f(1) }, 'bank is away');", /^server\/src\/a\.ts:2 logs "bank is away": describe it/],
    ["log.warn({ job }, 'payout lost');", /must differ by more than one word/],
    ['log.warn({ job }, `payout ${state}`);', /no literal/],
    ['log.warn({ job }, message);', /no literal/],
    ["log[level]({ job }, 'payout lost');", /no literal/],
  ])
    assert.match(problemsOf(`${violation} ${described}`).join('\n'), expected, violation);
  for (const similar of ['payout found', 'payout', 'payout lost today', 'the payout lost'])
    assert.match(problemsOf(`${described} log.error({}, '${similar}');`).join('\n'), /more than one word/, similar);
  assert.match(problemsOf('').join('\n'), /nothing logs "job failed twice"/);
});

test('SQL outside of queries, ledger tables outside of the ledger, and unpreparable statements are reported', () => {
  const countOf = (path, text) => messagesAbout(checkSql, path, text).length;
  const [useCase, queries] = ['server/src/modules/otp/send-otp.ts', 'server/src/modules/otp/queries.ts'];
  assert.equal(countOf(useCase, 'db.query(`select code from otp`)'), 1);
  assert.equal(countOf(queries, 'db.query(`select code from otp`)'), 0);
  for (const path of [
    queries,
    useCase,
    'server/src/cli/maintenance.ts',
    'server/src/doctor/a.ts',
    'server/src/platform/a.ts',
  ])
    assert.equal(countOf(path, "const table = 'ledger.account';"), 1, path);
  assert.equal(countOf('server/src/ledger/audit.ts', "const table = 'ledger.account';"), 0);
  for (const text of [
    'db.query(`set local lock_timeout = 1`)',
    'db.query<Row>(`select 1; select 2`)',
    'db.query(`select code from otp where phone = ${phone}`)',
  ]) {
    assert.equal(countOf(queries, text), 1, text);
  }
  assert.equal(countOf(queries, 'db.query(`select ${COLUMNS} from otp`)'), 0);
});

test('forbidden text in any file, banned terms in documents, and reserved code outside of its file are reported', () => {
  const countOf = (path, text) => messagesAbout(checkVocabulary, path, text).length;
  assert.equal(countOf('README.md', `made by ${'Cl'}${'aude'}`), 1);
  assert.equal(countOf('.npmrc', `https://registry.${'npm'}js.org`), 1);
  assert.equal(countOf('deploy/key.pem', `-----BEGIN PRIVATE ${'KEY'}-----`), 1);
  assert.equal(countOf('server/src/app.ts', `// as the issue ${'says'}`), 1);
  assert.equal(countOf('docs/decisions/a.md', 'The bank tells nothing.'), 1);
  assert.equal(countOf('docs/decisions/a.md', 'The bank reports nothing.'), 0);
  for (const text of ['new Date()', "throw new Refusal('IDEMPOTENCY_KEY_REUSED')", "rateLimits.hit({ key: 'otp' })"])
    assert.equal(countOf('server/src/modules/otp/send-otp.ts', text), 1, text);
  assert.equal(countOf('server/src/modules/otp/send-otp.ts', 'new Date(row.at)'), 0);
  assert.equal(countOf('server/src/modules/otp/send-otp.ts', '// not new Date() here'), 0);
  assert.equal(countOf('server/src/platform/time.ts', 'new Date()'), 0);
  for (const folder of ['server/src', 'server/test/fixtures/demo-gateway']) {
    const path = `${folder}/adapters/gateway/demo.ts`;
    assert.equal(countOf(path, 'const reply = z.object({ reference: z.string() });'), 1, path);
    assert.equal(countOf(path, 'const claim = z.object({ reference: z.string().regex(/^\\d+$/) });'), 0, path);
  }
});

test('a second state guard and an unread state table are reported', () => {
  const path = 'server/src/modules/deposit/slip/queries.ts';
  const guardedImport = `import { sourcesOf } from '../../../platform/state-machine.ts';\n`;
  const states = (text) => messagesAbout(checkStates, path, text).length;
  for (const text of [
    "db.query(`update slip set tries = 0, state = 'READ' where id = $1`)",
    'db.query(`update slip s set state = $2`)',
    "step(on, slip, `state = 'READ', tries = 0`)",
  ]) {
    assert.equal(states(text), 1, text);
    assert.equal(states(guardedImport + text), 0, text);
  }
  assert.equal(states("db.query(`update slip set tries = 0 where state = 'READ'`)"), 0);
  for (const text of [
    'canFollow(slipTransitions, a, b)',
    'slipTransitions[a].includes(b)',
    'Object.keys(slipTransitions)',
  ]) {
    assert.equal(states(guardedImport + text), 1, text);
  }
  const table = { path: 'contract/src/states.ts', text: 'export const slipTransitions = {};' };
  const readerFile = { path, text: `${guardedImport}sourcesOf(slipTransitions, 'READ')` };
  const testFile = { path: 'server/test/deposit/slip/x.test.ts', text: 'slipTransitions' };
  assert.equal(checkStates([table]).length, 2);
  assert.equal(checkStates([table, readerFile]).length, 1);
  assert.deepEqual(checkStates([table, readerFile, testFile]), []);
});

/** Files with the term `otp` in each kind of place, and a glossary with these exceptions. */
const filesWithOtp = (exceptions, ...files) => [
  {
    path: 'docs/glossary.md',
    text: `| \`otp\` | the code | pin |\n\n## Where a word is missing\n\n${exceptions}\n`,
  },
  { path: 'server/src/modules/otp/otp.ts', text: '' },
  { path: 'contract/src/endpoints/otp.ts', text: '' },
  { path: 'web/src/features/otp/otp.tsx', text: '' },
  { path: 'phrases/th/otp.json', text: '' },
  { path: 'server/migrations/0204-otp.sql', text: 'create table otp (\n  id uuid\n);\n' },
  ...files,
];

test('a module, endpoint file or feature without a line in the glossary is reported', () => {
  assert.deepEqual(checkGlossary(filesWithOtp('')), []);
  for (const path of [
    'server/src/modules/chat/chat.ts',
    'contract/src/endpoints/chat.ts',
    'web/src/features/chat/chat.ts',
    'web/src/features/deposit/chat/chat.ts',
    'phrases/th/chat.json',
  ]) {
    const messages = checkGlossary(filesWithOtp('', { path, text: '' }));
    assert.equal(messages.filter((sentence) => sentence.includes('has no row for chat')).length, 1, path);
  }
});

test('a glossary term missing in one of its places is reported, unless the glossary gives a reason', () => {
  for (const [path, place] of [
    ['server/src/modules/otp/otp.ts', 'module'],
    ['contract/src/endpoints/otp.ts', 'contract'],
    ['web/src/features/otp/otp.tsx', 'app'],
    ['phrases/th/otp.json', 'phrases'],
    ['server/migrations/0204-otp.sql', 'table'],
  ]) {
    const messagesWithout = (exceptions) =>
      checkGlossary(filesWithOtp(exceptions).filter((file) => file.path !== path));
    assert.equal(messagesWithout('').filter((sentence) => sentence.includes(`otp has no ${place}`)).length, 1, place);
    assert.deepEqual(messagesWithout(`| \`otp\` | \`${place}\` | it is small |`), [], place);
    assert.equal(messagesWithout(`| \`otp\` | \`${place}\` | |`).length, 1, 'an exception without a reason');
  }
  assert.equal(checkGlossary(filesWithOtp('| `otp` | `table` | it is small |')).length, 1, 'an exception that is none');
});

test("a table whose name does not begin with a module's term is reported", () => {
  const account = { path: 'server/src/modules/account/account.ts', text: '' };
  const messagesFor = (name, table) =>
    checkGlossary(
      filesWithOtp('', account, {
        path: `server/migrations/${name}.sql`,
        text: `create table ${table} (\n  id uuid\n);\n`,
      }),
    ).filter((sentence) => sentence.includes('does not begin'));
  for (const table of ['otp', 'otp_phone', 'member', 'member_session', 'ledger.account'])
    assert.deepEqual(messagesFor('0300-x', table), [], table);
  for (const table of ['source', 'otps']) assert.equal(messagesFor('0300-x', table).length, 1, table);
  assert.deepEqual(messagesFor('0200-platform', 'rate_limit'), []);
});

test('a comment that names removed code is reported', () => {
  const messagesFor = (comment) =>
    checkCommentNames([
      { path: 'server/src/a.ts', text: `/** ${comment} */\nexport type Leg = { isAbsent: boolean };\n` },
      { path: 'server/src/b.ts', text: 'export const findLeg = 1;\nconst hiddenLeg = 2;\n' },
    ]).length;
  for (const comment of ['`isAbsent`: no leg.', 'As `findLeg` returns it.', 'A stored `absent`.'])
    assert.equal(messagesFor(comment), 0, comment);
  for (const comment of ['`absent`: no leg.', 'As `hiddenLeg` returns it.', 'As `loadLeg` returns it.'])
    assert.equal(messagesFor(comment), 1, comment);
});

test('code in a document that differs from its named file is reported', () => {
  const fixtureFile = { path: 'server/test/fixtures/some.ts', text: 'const some = 1;\n' };
  const messagesFor = (source, code) =>
    checkGuideCode([fixtureFile, { path: 'docs/some.md', text: `Look:\n\n\`\`\`ts ${source}\n${code}\`\`\`\n` }])
      .length;
  assert.equal(messagesFor(fixtureFile.path, fixtureFile.text), 0);
  assert.equal(messagesFor(fixtureFile.path, 'const some = 2;\n'), 1);
  assert.equal(messagesFor('server/test/fixtures/gone.ts', fixtureFile.text), 1);
});

test('a change in a guide that does not apply to the work tree is reported', () => {
  const countOf = (line) =>
    checkGuideChanges([{ path: 'a.diff', text: `--- a/.npmrc\n+++ b/.npmrc\n@@ -1 +1 @@\n-${line}\n+x=1\n` }]).length;
  const [firstLine] = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n');
  assert.equal(countOf(firstLine), 0);
  assert.equal(countOf('another line'), 1);
});

test('a test title with a banned term, or over 120 characters without ids and values, is reported', () => {
  const countOf = (call) => checkTestTitles([{ path: 'web/test/some.test.ts', text: `${call}, () => {});\n` }]).length;
  for (const call of [
    `test('the bank ${'tells'} nothing'`,
    `describe("a member's page ${'lies'} there"`,
    `test.describe(\`\${name} is ${'told'}\``,
    `test(titleOf('a bank ${'stands'} there')`,
    `test('${'a'.repeat(121)}'`,
  ])
    assert.equal(countOf(call), 1, call);
  for (const call of [
    `test('the server replies with "${'told'}" and \`${'nobody'}\`'`,
    `test('${'a'.repeat(120)} [R-NET-01] [R-NET-02]'`,
    `test(\`\${names.map(({ name }) => name).join(', ')} ${'a'.repeat(119)}\``,
    `log('the bank ${'tells'} nothing'`,
  ])
    assert.equal(countOf(call), 0, call);
});

test('a gateway named outside of its folders and line is reported', () => {
  const targetLine = {
    path: 'server/src/adapters/gateway/vendors.ts',
    text: "export { demo } from './demo/definition.ts';\n",
  };
  const names = (path) => checkGateways([targetLine, { path, text: "const name = 'demo';\n" }]).length;
  for (const path of [
    'server/src/outside-config.ts',
    'simulators/src/store.ts',
    'tools/outside.mjs',
    'web/src/main.tsx',
  ]) {
    assert.equal(names(path), 1, path);
  }
  for (const path of ['server/src/counterparties/gateway/demo/demo.ts', 'simulators/src/gateways/demo/demo.ts']) {
    assert.equal(names(path), 0, path);
  }
});

test('a test report counts failed and skipped tests as not passed', () => {
  const xml = `<testsuites><testcase name="a"/><testcase name="b"><failure message="no"/></testcase>
    <testcase name="c"><skipped/></testcase><testsuite><testcase name="d" time="1"></testcase></testsuite></testsuites>`;
  assert.deepEqual(countReport(xml), { passed: 2, failed: 2 });
  assert.deepEqual(countReport(''), { passed: 0, failed: 0 });
});

test('failed tests are repeated at the end of the output, with their reason', () => {
  const reports = mkdtempSync(join(tmpdir(), 'krapao-reports-'));
  const xml =
    '<testcase name="holds" time="1"/><testcase name="a &lt; b" time="1"><failure message="x">1 !== 2</failure></testcase>';
  writeFileSync(join(reports, 'server.xml'), xml);
  const failedSpec = { title: 'opens', file: 'x.spec.ts', line: 3, ok: false };
  const errors = [{ message: '\u001B[31mnot there\u001B[39m' }];
  const specs = [{ ...failedSpec, tests: [{ results: [{ errors }] }] }, { ok: true }];
  writeFileSync(join(reports, 'e2e.json'), JSON.stringify({ suites: [{ suites: [{ specs }] }] }));
  assert.deepEqual(failuresOf(reports, 'server'), ['\n✖ server: a < b', '  1 !== 2']);
  assert.deepEqual(failuresOf(reports, 'e2e'), ['\n✖ e2e: x.spec.ts:3 opens', '  not there']);
  assert.deepEqual(failuresOf(reports, 'lint'), []);
  rmSync(reports, { recursive: true });
});

test('a setting that is missing in its table, described differently or removed is reported', () => {
  const path = 'docs/deploy/settings.md';
  const sentences = (text) => messagesAbout(checkSettings, path, text);
  assert.deepEqual(sentences(settingsText()), []);
  const lines = settingsText().split('\n');
  const row = lines.findIndex((line) => line.includes('`LOG_LEVEL`'));
  assert.match(sentences(lines.toSpliced(row, 1).join('\n')).join(), /LOG_LEVEL/);
  assert.match(sentences(lines.with(row, lines[row].replace('`info`', '`debug`')).join('\n')).join(), /LOG_LEVEL/);
  assert.match(sentences(lines.toSpliced(row, 0, '| `GONE` | | | | | |').join('\n')).join(), /GONE/);
  assert.equal(sentences('').length, 1);
});

test('a setting in README.md that no program reads is reported', () => {
  assert.equal(messagesAbout(checkSettings, 'README.md', '| `GONE_MS` | 1 | a word |').length, 1);
  assert.equal(messagesAbout(checkSettings, 'README.md', '| `LOG_LEVEL` | info | a word |').length, 0);
});
