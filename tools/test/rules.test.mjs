import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { composedArrows } from '../house/composition.mjs';
import { checkCommands } from '../house/commands.mjs';
import { checkGateways } from '../house/gateways.mjs';
import { checkGuideCode } from '../house/guide-code.mjs';
import { checkGlossary } from '../house/glossary.mjs';
import { checkImports } from '../house/imports.mjs';
import { checkLinks } from '../house/links.mjs';
import { moduleTable } from '../house/module-table.mjs';
import { checkPlaces } from '../house/places.mjs';
import { checkSettings, settingsText } from '../house/settings.mjs';
import { checkStates } from '../house/states.mjs';
import { checkWords } from '../house/words.mjs';
import { ROOT } from '../install.mjs';
import { failuresOf } from './failures.mjs';
import { countReport, LONGEST_FIRST } from './node/node-tests.mjs';

/** What a check says about one file alone; arrows of the module table that one file can't use do not count. */
const about = (check, path, text) => check([{ path, text }]).filter((sentence) => sentence.startsWith(path));

const imports = (from, specifier) => about(checkImports, from, `import { x } from '${specifier}';`);

test('imports against the shape of the house are found', () => {
  for (const [from, to] of [
    ['web/src/main.tsx', '../../server/src/app.ts'],
    ['server/src/app.ts', '../../web/src/main.tsx'],
    ['simulators/src/main.ts', '@krapao/contract/errors'],
    ['phrases/src/words.ts', '../../server/src/app.ts'],
    ['contract/src/errors.ts', 'fastify'],
    ['server/src/platform/jobs/job.ts', '../../ledger/module.ts'],
    ['server/src/ledger/lane.ts', '../modules/account/module.ts'],
    ['server/src/ledger/lane.ts', '../settlement/transition.ts'],
    ['server/src/settlement/transition.ts', '../modules/account/module.ts'],
    ['server/src/modules/account/log-in.ts', '../../ledger/lane.ts'],
    ['server/src/modules/account/log-in.ts', '../otp/queries.ts'],
    ['server/src/modules/otp/send-otp.ts', '../account/module.ts'],
    ['server/src/modules/game/game.ts', '../wallet/module.ts'],
    ['server/src/modules/otp/send-otp.ts', './module.ts'],
    ['server/src/modules/otp/send-otp.ts', './routes.ts'],
    ['server/src/modules/otp/otp.ts', './queries.ts'],
    ['server/src/compose.ts', './modules/otp/routes.ts'],
    ['web/src/features/login/login-page.tsx', '../register/step.tsx'],
    ['web/src/ui/button.tsx', 'wouter'],
    ['web/src/ui/button.tsx', '@krapao/contract/errors'],
    ['web/src/format/money.ts', '../features/login/login-page.tsx'],
    ['web/src/format/money.ts', '@krapao/contract/money'],
    ['web/src/api/client.ts', 'zod'],
    ['web/src/api/client.ts', '@krapao/contract/wire-faults'],
    ['web/src/api/client.ts', '../ui/toast-store.ts'],
    ['web/src/api/client.ts', '../routing/leave.ts'],
    ['web/src/api/client.ts', '../shared/wallet/use-wallet.ts'],
    ['web/src/shared/wallet/use-wallet.ts', '../../features/home/total.ts'],
  ]) {
    assert.equal(imports(from, to).length, 1, `${from} → ${to}`);
  }
});

test('what the web app’s lower layers reach through another file is found, a type there is not', () => {
  const through = (from, importing) =>
    checkImports([
      { path: from, text: "import { x } from '../between.ts';" },
      { path: 'web/src/between.ts', text: importing },
    ]).filter((sentence) => sentence.startsWith(from));
  for (const [from, to] of [
    ['web/src/ui/button.tsx', '@krapao/contract/constants'],
    ['web/src/format/number.ts', './api/query.ts'],
    ['web/src/ui/button.tsx', 'wouter'],
    ['web/src/api/client.ts', './ui/toast-store.ts'],
  ]) {
    assert.equal(through(from, `import { y } from '${to}';`).length, 1, `${from} → ${to}`);
    assert.deepEqual(through(from, `import type { y } from '${to}';`), []);
  }
});

test('links of texts that lead nowhere are found, those that lead somewhere left alone', () => {
  for (const text of ['[a](gone.md)', '![a](gone.png)', '[a](../README.md#top) [b](gone.md#part)']) {
    assert.equal(about(checkLinks, 'docs/some.md', text).length, 1, text);
  }
  for (const text of ['[a](ledger.md)', '[a](../README.md#top)', '[a](#part)', '[a](http://localhost:3000)']) {
    assert.deepEqual(about(checkLinks, 'docs/some.md', text), [], text);
  }
});

test('imports along the shape of the house are left alone', () => {
  for (const [from, to] of [
    ['server/src/modules/account/routes.ts', './log-in.ts'],
    ['server/src/modules/account/log-in.ts', '../../ledger/module.ts'],
    ['server/src/modules/account/log-in.ts', '../otp/module.ts'],
    ['server/src/modules/account/log-in.ts', '@krapao/contract/errors'],
    ['web/src/features/login/login-page.tsx', '../../ui/button.tsx'],
    ['contract/src/errors.ts', 'zod'],
  ]) {
    assert.deepEqual(imports(from, to), [], `${from} → ${to}`);
  }
});

test('what compose.ts hands to a module counts as an arrow, also inside a closure or a constant', () => {
  const arrowsOf = (text) =>
    composedArrows([{ path: 'server/src/compose.ts', text }], Object.keys(moduleTable)).map(
      ({ from, to }) => `${from}>${to}`,
    );
  assert.deepEqual(arrowsOf('const game = gameModule({ ...base, account });'), ['game>account']);
  assert.deepEqual(arrowsOf('gameModule({ check: (id) => wallet.assertOpen(id) });'), ['game>wallet']);
  assert.deepEqual(arrowsOf('const ask = (id) => withdraw.ask(id); const base = { ask }; gameModule({ ...base });'), [
    'game>withdraw',
  ]);
  assert.deepEqual(arrowsOf("import { standing } from './modules/bonus/module.ts'; gameModule({ standing });"), [
    'game>bonus',
  ]);
  assert.deepEqual(
    arrowsOf(
      'const account = accountModule({ otp }); const made = await gameModule({ account }); spinwheelModule(made);',
    ),
    ['account>otp', 'game>account', 'spinwheel>game'],
  );
  assert.deepEqual(arrowsOf('gameModule({ wallet: 1, limits: base.account });'), []);
  const sentences = about(checkImports, 'server/src/compose.ts', 'gameModule({ open: () => wallet.open() });');
  assert.match(sentences.join(), /gives wallet to game/);
});

test('an import in a comment or a text is none', () => {
  const text = `// import x from '../../web/src/main.tsx'\n/* from '../../web/src/main.tsx' */\nconst a = "import('../../web')";`;
  assert.deepEqual(about(checkImports, 'server/src/app.ts', text.replace(/const.*/, '')), []);
});

test('things out of their place are found, and only there', () => {
  const places = (path, text) => about(checkPlaces, path, text).length;
  for (const text of [
    'process.env.PORT',
    'Date.now()',
    'new Date()',
    'Math.random()',
    'randomUUID()',
    'await fetch(url)',
    'x.toFixed(2)',
    "rateLimits.hit({ key: 'otp', max: 1, windowSeconds: 1 })",
  ]) {
    assert.equal(places('server/src/modules/otp/send-otp.ts', text), 1, text);
  }
  assert.equal(places('server/src/modules/otp/send-otp.ts', 'new Date(row.at)'), 0);
  assert.equal(places('server/src/modules/otp/send-otp.ts', '// not Date.now() here'), 0);
  assert.equal(places('server/src/platform/clock.ts', 'new Date()'), 0);
  assert.equal(places('server/src/modules/otp/send-otp.ts', 'db.query(`select code from otp`)'), 1);
  assert.equal(places('server/src/modules/otp/queries.ts', 'db.query(`select code from otp`)'), 0);
  assert.equal(places('server/src/modules/otp/queries.ts', 'db.query(`select 1 from ledger.account`)'), 1);
  assert.equal(places('server/src/modules/otp/queries.ts', "import pg from 'pg';"), 1);
  for (const text of [
    'db.query(`set local lock_timeout = 1`)',
    'db.query<Row>(`select 1; select 2`)',
    'db.query(`select code from otp where phone = ${phone}`)',
  ]) {
    assert.equal(places('server/src/modules/otp/queries.ts', text), 1, text);
  }
  assert.equal(places('server/src/modules/otp/queries.ts', 'db.query(`select ${COLUMNS} from otp`)'), 0);
});

test('a second state guard and a state table that is not read are found', () => {
  const path = 'server/src/modules/deposit/slip/queries.ts';
  const guarded = `import { sourcesOf } from '../../settlement/transition.ts';\n`;
  const states = (text) => about(checkStates, path, text).length;
  for (const text of [
    "db.query(`update slip set tries = 0, state = 'READ' where id = $1`)",
    'db.query(`update slip s set state = $2`)',
    "step(on, slip, `state = 'READ', tries = 0`)",
  ]) {
    assert.equal(states(text), 1, text);
    assert.equal(states(guarded + text), 0, text);
  }
  assert.equal(states("db.query(`update slip set tries = 0 where state = 'READ'`)"), 0);
  for (const text of [
    'canFollow(slipTransitions, a, b)',
    'slipTransitions[a].includes(b)',
    'Object.keys(slipTransitions)',
  ]) {
    assert.equal(states(guarded + text), 1, text);
  }
  const table = { path: 'contract/src/states.ts', text: 'export const slipTransitions = {};' };
  const reader = { path, text: `${guarded}sourcesOf(slipTransitions, 'READ')` };
  const tested = { path: 'server/test/deposit/slip/x.test.ts', text: 'slipTransitions' };
  assert.equal(checkStates([table]).length, 2);
  assert.equal(checkStates([table, reader]).length, 1);
  assert.deepEqual(checkStates([table, reader, tested]), []);
});

test('words, names and sizes out of bounds are found', () => {
  const words = (path, text) => about(checkWords, path, text).length;
  assert.equal(words('server/src/app.ts', `// ${'TO'}${'DO'}: later`), 1);
  assert.equal(words('README.md', `made by ${'Cl'}${'aude'}`), 1);
  assert.equal(words('.npmrc', `https://registry.${'npm'}js.org`), 1);
  assert.equal(words('server/test/x.test.ts', `test.${'only'}('x', () => {});`), 1);
  assert.equal(words('server/src/utils.ts', ''), 1);
  assert.equal(words('server/src/big.ts', 'x\n'.repeat(401)), 1);
  assert.equal(words('docs/decisions/0001-x.md', 'x\n'.repeat(31)), 1);
  assert.equal(words('server/src/app.ts', 'x\n'.repeat(400)), 0);
});

test('a folder of the app with more than fifteen source files is found', () => {
  const filesOf = (count) => Array.from({ length: count }, (_, i) => ({ path: `web/src/ui/x${i}.ts`, text: '' }));
  assert.equal(checkWords(filesOf(16)).length, 1);
  assert.deepEqual(checkWords(filesOf(15)), []);
});

/** A repository where the word `otp` stands everywhere, with a glossary that lists it and these exceptions. */
const withOtp = (exceptions, ...files) => [
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

test('a word without a line in the glossary is found', () => {
  assert.deepEqual(checkGlossary(withOtp('')), []);
  for (const path of [
    'server/src/modules/chat/chat.ts',
    'contract/src/endpoints/chat.ts',
    'web/src/features/chat/chat.ts',
    'web/src/shared/chat/chat.ts',
    'phrases/th/chat.json',
  ]) {
    const said = checkGlossary(withOtp('', { path, text: '' }));
    assert.equal(said.filter((sentence) => sentence.includes('has no line for chat')).length, 1, path);
  }
});

test('a word that is missing in one of its places is found, unless the glossary gives a reason', () => {
  for (const [path, place] of [
    ['server/src/modules/otp/otp.ts', 'module'],
    ['contract/src/endpoints/otp.ts', 'contract'],
    ['web/src/features/otp/otp.tsx', 'app'],
    ['phrases/th/otp.json', 'phrases'],
    ['server/migrations/0204-otp.sql', 'table'],
  ]) {
    const without = (exceptions) => checkGlossary(withOtp(exceptions).filter((file) => file.path !== path));
    assert.equal(without('').filter((sentence) => sentence.includes(`otp has no ${place}`)).length, 1, place);
    assert.deepEqual(without(`| \`otp\` | \`${place}\` | it is small |`), [], place);
    assert.equal(without(`| \`otp\` | \`${place}\` | |`).length, 1, 'an exception without a reason');
  }
  assert.equal(checkGlossary(withOtp('| `otp` | `table` | it is small |')).length, 1, 'an exception that is none');
});

test('a table that does not begin with the word of a module is found', () => {
  const account = { path: 'server/src/modules/account/account.ts', text: '' };
  const found = (name, table) =>
    checkGlossary(
      withOtp('', account, {
        path: `server/migrations/${name}.sql`,
        text: `create table ${table} (\n  id uuid\n);\n`,
      }),
    ).filter((sentence) => sentence.includes('does not begin'));
  for (const table of ['otp', 'otp_phone', 'member', 'member_session', 'ledger.account'])
    assert.deepEqual(found('0300-x', table), [], table);
  for (const table of ['source', 'otps']) assert.equal(found('0300-x', table).length, 1, table);
  assert.deepEqual(found('0200-platform', 'rate_limit'), []);
});

test('code in a document that differs from the file that it names is found', () => {
  const fixture = { path: 'server/test/fixtures/some.ts', text: 'const some = 1;\n' };
  const said = (source, code) =>
    checkGuideCode([fixture, { path: 'docs/some.md', text: `Look:\n\n\`\`\`ts ${source}\n${code}\`\`\`\n` }]).length;
  assert.equal(said(fixture.path, fixture.text), 0);
  assert.equal(said(fixture.path, 'const some = 2;\n'), 1);
  assert.equal(said('server/test/fixtures/gone.ts', fixture.text), 1);
});

test('a gateway that is named outside of its folders and its line is found', () => {
  const line = {
    path: 'server/src/counterparties/gateway/vendors.ts',
    text: "export { demo } from './demo/definition.ts';\n",
  };
  const names = (path) => checkGateways([line, { path, text: "const name = 'demo';\n" }]).length;
  for (const path of ['server/src/outside.ts', 'simulators/src/store.ts', 'tools/outside.mjs', 'web/src/main.tsx']) {
    assert.equal(names(path), 1, path);
  }
  for (const path of ['server/src/counterparties/gateway/demo/demo.ts', 'simulators/src/gateways/demo/demo.ts']) {
    assert.equal(names(path), 0, path);
  }
});

test('a script that the table of commands lacks is found, and a command without a script', () => {
  const scripts = { path: 'package.json', text: '{"scripts":{"start":"","bench:day":""}}' };
  const readme = (...rows) => ({ path: 'README.md', text: rows.map((row) => `| ${row} | does it |\n`).join('') });
  assert.deepEqual(checkCommands([scripts, readme('`npm start`', '`npm run bench:day`')]), []);
  assert.equal(checkCommands([scripts, readme('`npm start`')]).length, 1);
  assert.equal(checkCommands([scripts, readme('`npm start`, `npm run bench:day`, `npm run gone`')]).length, 1);
});

test('a report counts what failed and what was skipped as not passed', () => {
  const xml = `<testsuites><testcase name="a"/><testcase name="b"><failure message="no"/></testcase>
    <testcase name="c"><skipped/></testcase><testsuite><testcase name="d" time="1"></testcase></testsuite></testsuites>`;
  assert.deepEqual(countReport(xml), { passed: 2, failed: 2 });
  assert.deepEqual(countReport(''), { passed: 0, failed: 0 });
});

test('what failed is said once more at the end, with its reason', () => {
  const reports = mkdtempSync(join(tmpdir(), 'krapao-reports-'));
  const xml =
    '<testcase name="holds" time="1"/><testcase name="a &lt; b" time="1"><failure message="x">1 !== 2</failure></testcase>';
  writeFileSync(join(reports, 'server.xml'), xml);
  const failed = { title: 'opens', file: 'x.spec.ts', line: 3, ok: false };
  const errors = [{ message: '\u001B[31mnot there\u001B[39m' }];
  const specs = [{ ...failed, tests: [{ results: [{ errors }] }] }, { ok: true }];
  writeFileSync(join(reports, 'e2e.json'), JSON.stringify({ suites: [{ suites: [{ specs }] }] }));
  assert.deepEqual(failuresOf(reports, 'server'), ['\n✖ server: a < b', '  1 !== 2']);
  assert.deepEqual(failuresOf(reports, 'e2e'), ['\n✖ e2e: x.spec.ts:3 opens', '  not there']);
  assert.deepEqual(failuresOf(reports, 'lint'), []);
  rmSync(reports, { recursive: true });
});

test('the files that begin first are there, each once', () => {
  assert.deepEqual(
    LONGEST_FIRST.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
  assert.equal(new Set(LONGEST_FIRST).size, LONGEST_FIRST.length);
});

test('a setting that is missing in its table, described otherwise or gone is found', () => {
  const path = 'docs/deploy/settings.md';
  const sentences = (text) => about(checkSettings, path, text);
  assert.deepEqual(sentences(settingsText()), []);
  const lines = settingsText().split('\n');
  const row = lines.findIndex((line) => line.includes('`LOG_LEVEL`'));
  assert.match(sentences(lines.toSpliced(row, 1).join('\n')).join(), /LOG_LEVEL/);
  assert.match(sentences(lines.with(row, lines[row].replace('`info`', '`debug`')).join('\n')).join(), /LOG_LEVEL/);
  assert.match(sentences(lines.toSpliced(row, 0, '| `GONE` | | | | | |').join('\n')).join(), /GONE/);
  assert.equal(sentences('').length, 1);
});

test('a setting in README.md that no program reads is found', () => {
  assert.equal(about(checkSettings, 'README.md', '| `GONE_MS` | 1 | a word |').length, 1);
  assert.equal(about(checkSettings, 'README.md', '| `LOG_LEVEL` | info | a word |').length, 0);
});

test('web functions that a supported browser lacks are found', () => {
  const found = (code) => about(checkPlaces, 'web/src/x.ts', code).length;
  for (const code of [
    'const signal = AbortSignal.any([one, other]);',
    'if (URL.canParse(text)) go();',
    'const { promise } = Promise.withResolvers<void>();',
    'const both = new Set(a).union(b);',
    'requestIdleCallback(work);',
    'element.showPopover();',
  ])
    assert.equal(found(code), 1, code);
  for (const code of [
    '// AbortSignal.any',
    'const navigation: Navigation = {};',
    'list.map(one);',
    'AbortSignal.timeout(1);',
  ])
    assert.equal(found(code), 0, code);
});
