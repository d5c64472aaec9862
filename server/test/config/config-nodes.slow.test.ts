import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Api, apiClient } from '../harness/api-client.ts';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { giveCoins, singlePrizeWheel, spinWheel } from '../spinwheel/wheel-fixtures.ts';
import { type ConfigRunner, configRunner, SIGNATURE } from './config-fixtures.ts';

const CLI_PATH = join(import.meta.dirname, '../../src/cli/krapao.ts');
const HOLDS_WITHIN_MS = 1_000;
/** For a busy machine: the time of the calls themselves. */
const CALL_MS = 500;

let system: System;
let config: ConfigRunner;
let otherNode: ServerProcess;
let nodes: readonly Api[];
let member: TestMember;
before(async () => {
  system = await startSystem();
  config = configRunner(system);
  otherNode = await startServerProcess(system);
  nodes = [system.api, apiClient(otherNode.url)];
  member = await registerMember(system);
});
after(async () => {
  await otherNode.stop();
  await system.stop();
  config.remove();
});

/** Starts `krapao config` as a process. */
function startConfig(args: readonly string[], { cwd, input }: { cwd?: string; input?: string } = {}) {
  const child = spawn(process.execPath, [CLI_PATH, 'config', ...args], {
    env: { ...CHILD_ENVIRONMENT, ...config.environment, DATABASE_URL: system.databaseUrl, INIT_CWD: cwd ?? '' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [output, stdout] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += String(chunk);
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, output, stdout }));
  return { child, ended };
}

type Games = { code: string; inMaintenance: boolean }[];
type Changed = { subject: string; document: (current: never) => unknown; read: (api: Api) => Promise<string> };
const readPath =
  (path: string) =>
  async (api: Api): Promise<string> =>
    JSON.stringify((await api(path, { token: member.token })).body);

const CHANGES: readonly (Changed & { has: RegExp })[] = [
  {
    subject: 'setting:info',
    document: (info: object) => ({ ...info, name: 'Basil' }),
    read: readPath('GET /api/lookup/info'),
    has: /"Basil"/,
  },
  {
    subject: 'texts:condition',
    document: () => [{ th: 'ห้า', la: 'ຫ້າ', en: 'Five' }],
    read: readPath('GET /api/lookup/conditions'),
    has: /^\["(?:ห้า|ຫ້າ|Five)"\]$/,
  },
  {
    subject: 'banners:invite',
    document: () => [],
    read: readPath('GET /api/invite/banners'),
    has: /^\[\]$/,
  },
  {
    subject: 'banks',
    document: (banks: { code: string }[]) =>
      banks.map((bank) => (bank.code === 'KBANK' ? { ...bank, nameEN: 'Renamed' } : bank)),
    read: readPath('GET /api/lookup/banks'),
    has: /"Renamed"/,
  },
  {
    subject: 'games',
    document: (games: Games) =>
      games.map((game) => (game.code === 'pg' ? { ...game, inMaintenance: true, names: null, name: 'STOPPED' } : game)),
    read: readPath('GET /api/wallet'),
    has: /"name":"STOPPED"/,
  },
  {
    subject: 'offer:WELCOME',
    document: (offer: object) => ({ ...offer, isOn: false }),
    read: readPath('GET /api/bonus'),
    has: /^(?!.*WELCOME)/,
  },
  {
    subject: 'deposit-accounts',
    document: (accounts: object) => ({ ...accounts, accounts: [] }),
    read: readPath('GET /api/lookup/deposit'),
    has: /"banks":\[\]/,
  },
  {
    subject: 'limits',
    document: (limits: object) => ({ ...limits, 'promotion.member': { hits: 1, windowSeconds: 60 } }),
    read: readPath('GET /api/promotion/find/NONE'),
    has: /REQUEST_LIMIT_1MIN/,
  },
  {
    subject: 'refunds',
    document: (refunds: object) => ({ ...refunds, isActive: false }),
    read: readPath('GET /api/refund/receive'),
    has: /REFUND_INACTIVE/,
  },
  {
    subject: 'invites',
    document: (invites: object) => ({ ...invites, isActive: false }),
    read: readPath('GET /api/invite/bonus'),
    has: /INVITE_INACTIVE/,
  },
  {
    subject: 'wheel',
    document: () => singlePrizeWheel({ kind: 'GOODS' }),
    read: readPath('GET /api/spinwheel/setup'),
    has: /about A/,
  },
  {
    subject: 'networks',
    document: () => [{ network: '127.0.0.0/8', verdict: 'deny' }],
    read: async (api) =>
      (await api('POST /api/login', { body: { username: member.phone, password: member.password, remember: false } }))
        .body.message ?? 'logged in',
    has: /^INVALID_IP$/,
  },
];

test('a change of each kind of operator data holds on every node within a second, and so does its rollback [R-OPS-01]', async () => {
  const assertAll = async (isChanged: boolean): Promise<void> => {
    for (const { subject, read, has } of CHANGES) {
      for (const api of nodes) assert.equal(has.test(await read(api)), isChanged, subject);
    }
  };
  const documents: unknown[] = [];
  for (const { subject, document } of CHANGES) documents.push(document(await config.show(subject)));
  await assertAll(false);
  for (const [index, { subject }] of CHANGES.entries()) await config.applied(subject, documents[index]);
  await wait(HOLDS_WITHIN_MS + CALL_MS);
  await assertAll(true);
  for (const { subject } of CHANGES) assert.equal((await config.run('rollback', subject, '1', ...SIGNATURE)).status, 0);
  await wait(HOLDS_WITHIN_MS + CALL_MS);
  await assertAll(false);
});

test('the next spin on every node uses the newly applied wheel', async () => {
  await giveCoins(system, member.id, 2);
  await config.show('wheel');
  await config.applied('wheel', singlePrizeWheel({ kind: 'NONE' }));
  for (const api of nodes) {
    const { body } = await spinWheel({ api }, member);
    // Versions 2 and 3 were applied and rolled back before.
    assert.equal(body.result?.version, 4, JSON.stringify(body));
  }
});

test("config apply reads the piped output of show, and a FILE relative to the caller's folder", async () => {
  const shown = (await startConfig(['show', 'texts:agreement']).ended).stdout;
  const applyShown = () => startConfig(['apply', 'texts:agreement', '-', ...SIGNATURE], { input: shown }).ended;
  // The seed, applied unchanged, becomes the operator's choice.
  assert.match((await applyShown()).output, /^Version 2 of texts:agreement is in force, by /);
  const { status, output } = await applyShown();
  assert.deepEqual([status, output], [0, 'Nothing to change: version 2 of texts:agreement is the same.\n']);
  const path = config.write(JSON.parse(shown));
  const found = await startConfig(['check', 'texts:agreement', basename(path)], { cwd: dirname(path) }).ended;
  assert.equal(found.status, 0, found.output);
  const missing = await startConfig(['check', 'texts:agreement', basename(path)], { cwd: '/' }).ended;
  assert.equal(missing.status, 1);
  assert.match(missing.output, /^document-\d+\.json is missing \(ENOENT\)\.\n$/);
});

test('config check refuses standard input above 1 MB as too large', async () => {
  const { child, ended } = startConfig(['check', 'banks', '-'], { input: 'x'.repeat(3_000_000) });
  const { status, output } = await ended;
  assert.equal(status, 1);
  assert.match(output, /^Nothing is changed\. - is wrong:\n {2}the document: larger than 1048576 bytes\n$/);
  assert.equal(child.killed, false);
});

/** Holds back every change of a table until the returned function is called. */
async function holdChanges(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: system.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

const countWaiting = async (table: string): Promise<number> =>
  (await system.database.query('select from pg_locks where relation = $1::regclass and not granted', [table])).rowCount;

test('config apply that is killed before its commit leaves tables, versions and operator log unchanged', async () => {
  const { output: shown } = await config.run('show', 'banks');
  const { output: history } = await config.run('history', 'banks');
  const countLogged = async (): Promise<number> =>
    (await system.database.query(`select from operator_log where subject = 'banks'`)).rowCount;
  const logged = await countLogged();
  const path = config.write((JSON.parse(shown) as object[]).toReversed());
  // The new banks are written; the version or the log entry waits.
  for (const table of ['config_version', 'operator_log']) {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    const release = table === 'operator_log' ? await holdChanges(table) : undefined;
    if (!release) {
      await client.query('begin');
      await client.query(`lock table config_version in share row exclusive mode`);
    }
    const { child, ended } = startConfig(['apply', 'banks', path, ...SIGNATURE]);
    await waitUntilResult(
      'a held apply',
      () => countWaiting(table),
      (count) => count > 0,
    );
    child.kill('SIGKILL');
    await ended;
    await (release ? release() : client.query('rollback'));
    await client.end();
    await waitUntilResult(
      'the end of its session',
      () => countWaiting(table),
      (count) => count === 0,
    );
    assert.equal((await config.run('show', 'banks')).output, shown);
    assert.equal((await config.run('history', 'banks')).output, history);
  }
  assert.equal(await countLogged(), logged);
  assert.equal((await config.run('apply', 'banks', path, ...SIGNATURE)).status, 0);
});

test('config apply does not overwrite an SQL change that commits while it waits', async () => {
  const sources = await config.show<object[]>('sources');
  const client = new pg.Client({ connectionString: system.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`update operator_data_source set en = 'Changed by SQL' where code = 'LINE'`);
  const { ended } = startConfig(['apply', 'sources', config.write(sources.toReversed()), ...SIGNATURE]);
  await waitUntilResult(
    'an apply that waits',
    () => countWaiting('operator_data_source'),
    (count) => count > 0,
  );
  await client.query('commit');
  await client.end();
  const { status, output } = await ended;
  assert.equal(status, 1);
  assert.match(output, /^Nothing is changed: sources was changed\. Version 2 is in force since .*, by sql: /);
  const { rows } = await system.database.query(`select en from operator_data_source where code = 'LINE'`);
  assert.deepEqual(rows, [{ en: 'Changed by SQL' }]);
});

test('config apply is refused after 5 s behind another session, and names what that session changes', async () => {
  const path = config.write((await config.show<object[]>('texts:condition')).toReversed());
  const locks = [
    [`update operator_data_text set en = en where kind = 'condition'`, 'has changed texts:condition'],
    [`select pg_advisory_xact_lock(hashtextextended('config', 0))`, 'is changing operator data'],
    ['lock table operator_log', 'has locked a table that a change of texts:condition writes'],
  ] as const;
  for (const [sql, otherSession] of locks) {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query(sql);
    const startedAt = performance.now();
    const { status, output } = await startConfig(['apply', 'texts:condition', path, ...SIGNATURE]).ended;
    await client.query('rollback');
    await client.end();
    assert.deepEqual(
      [status, output],
      [
        1,
        `Nothing is changed: another session ${otherSession}, and has not committed yet. Try again, or end that session.\n`,
      ],
    );
    assert.ok(performance.now() - startedAt >= 4_900);
  }
});
