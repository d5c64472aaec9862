import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCommand, runCommandStreams } from '../harness/command.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type ConfigRunner, configRunner, SIGNATURE } from './config-fixtures.ts';

let system: System;
let config: ConfigRunner;
before(async () => {
  system = await startSystem({ simulators: false });
  config = configRunner(system);
});
after(async () => {
  await system.stop();
  config.remove();
});

const sql = (text: string, values: unknown[] = []) => system.database.query(text, values);
/** `version author (restored)` of each version. */
async function readHistory(subject: string): Promise<string[]> {
  const { output } = await config.run('history', subject);
  return output
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [, version = '', author = ''] = /^version (\d+) +\S+ \S+.*? {2}(\S+) {2}/.exec(row) ?? [];
      return `${version} ${author}${/restores version (\d+)/.exec(row)?.[0] ?? ''}`;
    });
}

test('each version has author, reason and an entry in the operator log, in one commit [R-OPS-01]', async () => {
  const info = await config.show<object>('setting:info');
  await config.applied('setting:info', { ...info, name: 'Basil' });
  assert.deepEqual(await readHistory('setting:info'), ['1 seed', '2 nok']);
  const log = await runCommand(system, 'operator-log', ['setting:info']);
  assert.match(log.output, /nok +config apply, version 2 +setting:info +asked by the owner\n/);
  const logged = await sql(`select from operator_log where subject = 'setting:info'`);
  assert.equal(logged.rowCount, 1);
});

test('a change by SQL becomes a version by sql, and a document written before it is refused without --from', async () => {
  const limits = await config.show<Record<string, object>>('limits');
  await sql(`update operator_data_limit set hits = 7 where name = 'slip.member'`);
  const refused = await config.apply('limits', { ...limits, 'spin.member': { hits: 3, windowSeconds: 60 } });
  assert.equal(refused.status, 1);
  assert.match(refused.output, /^Nothing is changed: limits was changed\. Version 2 is in force since 2.*, by sql: /);
  assert.deepEqual(await readHistory('limits'), ['1 seed', '2 sql']);
  const changed = await config.show<Record<string, { hits: number }>>('limits');
  assert.equal(changed['slip.member']?.hits, 7);
  const document = { ...changed, 'spin.member': { hits: 3, windowSeconds: 60 } };
  assert.match((await config.apply('limits', document)).output, /, then apply with `--from 2`\.\n$/);
  await config.applied('limits', document, '--from', '2');
  assert.deepEqual(await readHistory('limits'), ['1 seed', '2 sql', '3 nok']);
});

test('changes by the commands offers and wheel become versions with the typed name and reason', async () => {
  await config.run('list');
  await runCommand(system, 'offers', ['off', 'DAILY', ...SIGNATURE]);
  await runCommand(system, 'wheel', ['retire', '1', ...SIGNATURE]);
  await config.run('list');
  assert.deepEqual(await readHistory('offer:DAILY'), ['1 seed', '2 nok']);
  assert.deepEqual(await readHistory('wheel'), ['1 seed', '2 nok']);
  assert.match((await config.run('history', 'wheel')).output, /  nok +asked by the owner\n$/);
  assert.equal(await config.show('wheel'), null);
  assert.equal((await config.run('rollback', 'wheel', '1', ...SIGNATURE)).status, 0);
  assert.match((await runCommand(system, 'wheel')).output, /\nversion 2, The Golden Wallet Wheel/);
});

test('config show prints an invalid value that SQL wrote, and config apply replaces it', async () => {
  const slip = await config.show<object>('setting:slip');
  await sql(`update operator_data_setting set value = '{"closedFrom": 5}' where name = 'slip'`);
  assert.deepEqual(await config.show('setting:slip'), { closedFrom: 5 });
  assert.equal((await config.run('check', 'setting:slip', config.write({ closedFrom: 5 }))).status, 1);
  await config.applied('setting:slip', slip, '--from', '2');
  assert.deepEqual(await config.show('setting:slip'), slip);
});

test('config rollback restores the exact document as a new version that names the restored one', async () => {
  const { output: shown } = await config.run('show', 'banks');
  const banks = JSON.parse(shown) as { code: string }[];
  await config.applied('banks', banks.toReversed());
  const rolledBack = await config.run('rollback', 'banks', '1', ...SIGNATURE);
  assert.deepEqual(rolledBack, { status: 0, output: 'Version 3 of banks is in force, by operator:nok.\n' });
  assert.equal((await config.run('show', 'banks')).output, shown);
  assert.deepEqual(await readHistory('banks'), ['1 seed', '2 nok', '3 nokrestores version 1']);
  assert.match(
    (await config.run('rollback', 'banks', '1', ...SIGNATURE)).output,
    /^Nothing to change: version 3 of banks is the same\.\n$/,
  );
  for (const number of ['9', '0', 'one', '-1', '1e1']) {
    const { status, output } = await config.run('rollback', 'banks', number, ...SIGNATURE);
    assert.deepEqual([status, /banks has no version/.test(output)], [1, true], number);
  }
});

test('of two concurrently applied documents one is applied, and the other refused with the newer version', async () => {
  const sources = await config.show<object[]>('sources');
  const documents = ['A', 'B', 'C', 'D'].map((code) => [...sources, { code, th: code, la: code, en: code }]);
  const results = await Promise.all(documents.map((document) => config.apply('sources', document)));
  const published = results.filter(({ status }) => status === 0);
  assert.ok(published.length >= 1);
  for (const { status, output } of results) {
    if (status === 1)
      assert.match(output, /^Nothing is changed: sources was changed\. Version \d is in force since .*, by nok: /);
  }
  const history = await readHistory('sources');
  assert.equal(history.length, 1 + published.length);
});

test('the database refuses to change, delete or truncate versions of operator data', async () => {
  await config.run('list');
  for (const text of [
    `update config_version set note = 'another reason'`,
    `update config_version set state = 'PUBLISHED' where state = 'SUPERSEDED'`,
    `update config_version set document = '{}'`,
    'delete from config_version',
    'truncate config_version',
  ]) {
    await assert.rejects(sql(text), /never changes|append-only/, text);
  }
});

test('config diff prints each changed value, also a long text, in one line with its path, before and after', async () => {
  const texts = await config.show<{ th: string }[]>('texts:condition');
  const [first = { th: '' }] = texts;
  const changed = [{ ...first, th: `${first.th.slice(0, 200)}!${first.th.slice(200)}` }, ...texts.slice(1)];
  const { output } = await config.run('diff', 'texts:condition', config.write(changed));
  assert.match(output, /^\[0\]\.th: ….{10,80} → ….{0,20}!.{10,80}\n$/u);
  const games = await config.show<{ code: string; inMaintenance: boolean }[]>('games');
  const [canal, pg, ...others] = games;
  const reordered = [pg, { ...canal, inMaintenance: true, name: 'a\u202eb' }, ...others.slice(0, -1)];
  const result = await config.run('diff', 'games', config.write(reordered));
  assert.match(result.output, /^\[canal\]\.name: "Evening on the Canal" → "a\\u202eb"\n/);
  assert.match(result.output, /\n\[canal\]\.inMaintenance: false → true\n/);
  assert.match(result.output, /\n\[royal\]: \{"code":"royal".*… → \(absent\)\n/);
  assert.match(result.output, /\n\(order\): "canal, pg, .*\n→ /);
});

test('a subject that does not exist has no version, and gets version 1 when it is applied', async () => {
  const offer = await config.show<object>('offer:WELCOME');
  assert.deepEqual(await config.run('show', 'offer:TYPO'), {
    status: 1,
    output: 'There is no offer:TYPO: see `krapao config list`.\n',
  });
  assert.equal((await config.run('check', 'offer:TYPO', config.write({ ...offer, code: 'TYPO' }))).status, 0);
  assert.deepEqual(await config.run('history', 'offer:TYPO'), { status: 0, output: '' });
  assert.doesNotMatch((await config.run('list')).output, /TYPO/);
  assert.match(await config.applied('offer:TYPO', { ...offer, code: 'TYPO' }), /^Version 1 of offer:TYPO is in force/);
  assert.deepEqual(await readHistory('offer:TYPO'), ['1 nok']);
});

test('a document written before the version of another operator is refused, and with --from that version replaces it [R-OPS-01]', async () => {
  const { stdout, output } = await runCommandStreams(system, 'config', ['show', 'setting:contact']);
  const contact = JSON.parse(stdout) as object;
  assert.match(output, /^version 1, 20\S+ \S+\+07:00, by seed: as delivered\n\{/);
  const path = config.write({ ...contact, lineName: '@second' });
  await config.run('apply', 'setting:contact', config.write({ ...contact, lineName: '@first' }), 'lek', 'a new name');
  for (const options of [[], ['--from', '1'], ['--from', '3']]) {
    assert.deepEqual(
      [await config.run('apply', 'setting:contact', path, ...options, ...SIGNATURE)].map(
        ({ status, output: sentence }) => [status, sentence.replace(/20\S+ \S+\+07:00/, 'NOW')],
      ),
      [
        [
          1,
          'Nothing is changed: setting:contact was changed. Version 2 is in force since NOW, by lek: a new name. ' +
            'Compare with `krapao config diff setting:contact FILE`, then apply with `--from 2`.\n',
        ],
      ],
    );
  }
  const own = await config.run(
    'apply',
    'setting:contact',
    config.write({ ...contact, lineName: '@first' }),
    ...SIGNATURE,
  );
  assert.equal(own.output, 'Nothing to change: version 2 of setting:contact is the same.\n');
  for (const number of ['0', 'x', 'nok']) {
    assert.match(
      (await config.run('apply', 'setting:contact', path, '--from', number, ...SIGNATURE)).output,
      /^VERSION is a number from 1, not "\w+"\. Write\n/,
    );
  }
  const applied = await config.run('apply', 'setting:contact', path, '--from', '2', ...SIGNATURE);
  assert.deepEqual(applied, {
    status: 0,
    output: 'Version 3 of setting:contact is in force, by operator:nok.\n→ It replaces version 2 by lek: a new name.\n',
  });
});
