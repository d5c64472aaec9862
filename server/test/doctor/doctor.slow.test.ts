import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer } from 'node:tls';
import pg from 'pg';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type Certificate, newCertificateAuthority, selfSignedCertificate } from '../harness/certificates.ts';
import { freePort } from '../harness/free-port.ts';
import { insertPlainMember } from '../harness/plain-member.ts';
import { createInstallation, type Installation } from './installation.ts';

const DAY_MS = 86_400_000;
const CLOCK_AHEAD_MODULE = join(import.meta.dirname, '../../../tools/clock-ahead.mjs');

let installation: Installation;
before(async () => {
  installation = await createInstallation();
});
after(() => installation.remove());

/**
 * Asserts that the doctor reports all these sentences with a remedy after each, and the exit status of the severity.
 */
async function assertFound(
  severity: 'FAULT' | 'WARNING',
  expectedSentences: RegExp | readonly RegExp[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { status, output } = await installation.runDoctor(environment);
  const outputLines = output.split('\n');
  for (const sentence of [expectedSentences].flat()) {
    const index = outputLines.findIndex((line) => line.startsWith(severity) && sentence.test(line));
    assert.ok(index >= 0, `${String(sentence)} is not in\n${output}`);
    assert.match(outputLines[index + 1] ?? '', /^ +→ \S/, 'a remedy follows');
  }
  assert.equal(status, / 0 faults/.test(output) ? 0 : 1, output);
  if (severity === 'FAULT') assert.equal(status, 1);
}

async function assertSound(): Promise<void> {
  const { status, output } = await installation.runDoctor();
  assert.match(output, / 0 faults, 0 warnings\n$/);
  assert.equal(status, 0);
}

test('an installation with nothing wrong has no fault and no warning', async () => {
  await assertSound();
  const { output } = await installation.runDoctor({ DATABASE_URL: installation.url });
  assert.match(output, /^right +durability: fsync is on, synchronous_commit is on\.$/m);
});

test('doctor reports a wrong setting, a missing data folder and a full disk', async () => {
  await assertFound('FAULT', /configuration: PORT must be a port number/, { PORT: 'http' });
  const files = {
    DATABASE_URL: installation.url,
    SECRETS_FILE: installation.secretsFile,
    OUTSIDE_FILE: installation.outsideFile,
  };
  await assertFound('FAULT', /disk: .* does not exist/, { ...files, DATA_DIR: join(installation.data, 'none') });
  await assertFound('FAULT', /disk: .*secrets\.json is no folder/, { ...files, WAL_ARCHIVE: installation.secretsFile });
  // A file system without a free block.
  await assertFound('FAULT', /disk: \/proc has 0 MB of 0 MB free/, { ...files, DATA_DIR: '/proc' });
});

test('beside a wrong setting doctor checks the rest, the database unless its own address is wrong', async () => {
  const port = await installation.runDoctor({ PORT: 'http', PUBLIC_URL: 'nowhere' });
  assert.match(port.output, /^FAULT .*PORT must be a port number.*\n.*\nFAULT .*PUBLIC_URL must/);
  assert.match(port.output, /^right +secrets: [^]*^right +disk: [^]*^right +durability: /m);
  const address = await installation.runDoctor({ DATABASE_URL: 'postgresql://krapao:hunter2/x@127.0.0.1:5432/krapao' });
  assert.match(address.output, /^FAULT .*DATABASE_URL must look like .* percent-encoded\.\n/);
  assert.match(address.output, /^right +secrets: [^]*^right +disk: /m);
  assert.doesNotMatch(address.output, /hunter2|durability|\n +at /);
  assert.deepEqual([port.status, address.status], [1, 1]);
});

test('doctor reports a secrets or outside file that is readable by others, old, invalid or missing', async () => {
  const files = [installation.secretsFile, installation.outsideFile];
  const changeFiles = (action: (path: string) => void): void => files.forEach(action);
  const expectForEach = (expectedText: string): RegExp[] =>
    ['secrets', 'outside file'].map((name) => new RegExp(`${name}: .* ${expectedText}`));
  changeFiles((path) => chmodSync(path, 0o640));
  await assertFound('FAULT', expectForEach('can be read by other users \\(mode 640\\)'));
  changeFiles((path) => chmodSync(path, 0o600));
  const oldDate = new Date(Date.now() - 400 * DAY_MS);
  changeFiles((path) => utimesSync(path, oldDate, oldDate));
  await assertFound('WARNING', expectForEach('was last changed 400 d ago'));
  changeFiles((path) => renameSync(path, `${path}.away`));
  await assertFound('FAULT', expectForEach('is missing: `krapao outside` writes one'), {
    SIMULATORS: 'off',
  });
  const { output } = await installation.runDoctor();
  assert.match(output, /outside file: .* is missing.*\n +→ Do that in a new installation; otherwise put back the copy/);
  changeFiles((path) => writeFileSync(path, '{}'));
  await assertFound('FAULT', expectForEach('is wrong at'));
  changeFiles((path) => truncateSync(path, 4 * 1024 ** 2 + 1));
  await assertFound('FAULT', expectForEach('it is larger than 4 MB'));
  changeFiles((path) => renameSync(`${path}.away`, path));
  changeFiles((path) => utimesSync(path, new Date(), new Date()));
  await assertSound();
});

test('doctor warns of unused fields in the file of third parties and names their paths', async () => {
  const text = readFileSync(installation.outsideFile, 'utf8');
  const { walletApp, ...others } = JSON.parse(text) as { walletApp: object; bank: { accounts: object[] } };
  const [firstAccount, ...accounts] = others.bank.accounts;
  const bank = { ...others.bank, accounts: [{ ...firstAccount, acountNo: '1' }, ...accounts] };
  writeFileSync(installation.outsideFile, JSON.stringify({ ...others, bank, walletapp: walletApp }));
  const sentence = 'has unknown fields, which are ignored: bank.accounts.0.acountNo, walletapp.';
  await assertFound('WARNING', new RegExp(`outside file: .* ${sentence.replaceAll('.', '\\.')}`));
  writeFileSync(installation.outsideFile, text);
  await assertSound();
});

test('doctor reports a rotation of the encryption key with its remaining rows, and the age of the key', async () => {
  const [formerKey, presentKey] = [7, 8].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer];
  const [id, keys] = [randomUUID(), [presentKey, formerKey].map((key) => key.toString('base64'))];
  const writeSecrets = (file: object): void => writeFileSync(installation.secretsFile, JSON.stringify(file));
  writeSecrets({ encryptionKey: keys[0], otherEncryptionKeys: [keys[1]] });
  await assertFound('WARNING', /encryption at rest: The secrets file has 1 more key, and nothing is encrypted with it/);
  await installation.database.query(
    `insert into spinwheel_seed (id, member_id, state, commitment, sealed_seed, client_seed) values ($1, $2, 'NEXT', 'c', $3, 's')`,
    [id, await insertPlainMember(installation.database), createSecretBox(formerKey).seal('seed', id)],
  );
  await assertFound('WARNING', /encryption at rest: .* 1 texts are encrypted with another key than the present one/);
  await installation.database.query('delete from spinwheel_seed');
  const createdDate = new Date(Date.now() - 400 * DAY_MS).toISOString().slice(0, 10);
  writeSecrets({ encryptionKey: keys[1], encryptionKeyMade: createdDate });
  await assertFound('WARNING', /secrets: The encryption key of .* was made 40[01] d ago/);
  writeSecrets({ encryptionKey: keys[1] });
  await assertSound();
});

test('doctor reports a simulated outside, files on one node, and followHost where they put money at risk', async () => {
  const productionEnvironment = { DATABASE_URL: installation.url };
  await assertFound(
    'WARNING',
    [/SIMULATORS is on/, /Slips and chat files are kept in DATA_DIR/],
    productionEnvironment,
  );
  installation.writeOutside(() => ({ followHost: ['http://127.0.0.1:9'] }));
  await assertFound('FAULT', /followHost/, { ...productionEnvironment, SIMULATORS: 'off' });
  installation.writeOutside();
});

test('doctor reports plain http to another machine, and a certificate that expires soon, is untrusted or does not respond', async () => {
  const certificateAuthority = newCertificateAuthority();
  const authorityFile = join(installation.data, 'authority.pem');
  writeFileSync(authorityFile, certificateAuthority.cert);
  const outside = { SIMULATORS: 'off', NODE_EXTRA_CA_CERTS: authorityFile };
  const runWithCertificate = async (certificate: Certificate, action: () => Promise<void>) => {
    const server = createServer(certificate, (socket) => socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    installation.writeOutside(() => ({ publicUrl: `https://127.0.0.1:${port}` }));
    try {
      await action();
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };
  await runWithCertificate(certificateAuthority.issue({ until: new Date(Date.now() + 90 * DAY_MS) }), async () => {
    const { output } = await installation.runDoctor(outside);
    assert.match(output, /^right +TLS: The certificate of https:\/\/127\.0\.0\.1:\d+ holds for (89|90) d/m);
  });
  await runWithCertificate(certificateAuthority.issue({ until: new Date(Date.now() + 5 * DAY_MS) }), () =>
    assertFound('WARNING', /holds for [45] d/, outside),
  );
  await runWithCertificate(selfSignedCertificate(), () =>
    assertFound('FAULT', /no connection that can be trusted/, outside),
  );
  installation.writeOutside(() => ({ publicUrl: 'http://192.0.2.1' }));
  await assertFound('FAULT', /192\.0\.2\.1 is spoken to without encryption/, outside);
  const port = await freePort();
  installation.writeOutside(() => ({ publicUrl: `https://127.0.0.1:${port}` }));
  await assertFound('FAULT', /no connection that can be trusted \(ECONNREFUSED\)/, outside);
  installation.writeOutside();
});

test('doctor reports clocks that differ and a PostgreSQL without fixes', async () => {
  const clockAheadEnvironment = (ms: number) => ({
    NODE_OPTIONS: `--import ${CLOCK_AHEAD_MODULE}`,
    CLOCK_AHEAD_MS: String(ms),
  });
  await assertFound('WARNING', /clock: .* are (9\.9|10|10\.\d) s apart/, clockAheadEnvironment(10_000));
  await assertFound('FAULT', /clock: .* s apart/, clockAheadEnvironment(60_000));
  await assertFound(
    'WARNING',
    /PostgreSQL 18\S* gets no fixes since 2030-11-14/,
    clockAheadEnvironment(20 * 365 * DAY_MS),
  );
});

/** Replaces a function of PostgreSQL, to simulate a server that can't be started here. */
async function replaceFunction(
  functionHead: string,
  type: string,
  body: string,
  action: () => Promise<void>,
): Promise<void> {
  await installation.database.query(
    `create function public.${functionHead} returns ${type} language sql as $$ ${body} $$`,
  );
  await installation.database.query('alter database krapao set search_path = public, pg_catalog');
  try {
    await action();
  } finally {
    await installation.database.query('alter database krapao reset search_path');
    await installation.database.query(`drop function public.${functionHead}`);
  }
}

test('doctor reports a PostgreSQL before 15, a DATABASE_URL that is a standby, and an unencrypted connection', async () => {
  const oldVersionSql = `select case $1 when 'server_version_num' then '140019' else pg_catalog.current_setting($1) end`;
  await replaceFunction('current_setting(text)', 'text', oldVersionSql, () =>
    assertFound('FAULT', /PostgreSQL version: PostgreSQL is 18/),
  );
  await replaceFunction('pg_is_in_recovery()', 'boolean', 'select true', () =>
    assertFound('FAULT', /DATABASE_URL is a standby, which takes no writes/),
  );
  await replaceFunction('inet_server_addr()', 'inet', `select '192.0.2.7'::inet`, () =>
    replaceFunction('inet_client_addr()', 'inet', `select '192.0.2.8'::inet`, () =>
      assertFound('WARNING', /The connection to PostgreSQL is not encrypted/),
    ),
  );
});

test('doctor reports settings that can lose commits, and a database without free connections', async () => {
  await installation.database.query('alter database krapao set synchronous_commit = off');
  await assertFound('FAULT', /durability: synchronous_commit is off/);
  await installation.database.query('alter database krapao reset synchronous_commit');
  await installation.restart({ durable: false, maxConnections: 20 });
  await assertFound('FAULT', [/durability: fsync is off/, /durability: full_page_writes is off/]);
  const clients = Array.from({ length: 16 }, () => new pg.Client({ connectionString: installation.url }));
  await Promise.all(clients.map((client) => client.connect()));
  await assertFound('WARNING', /connections: 1\d of 20 connections/);
  await Promise.all(clients.map((client) => client.end()));
  await installation.restart();
  await assertSound();
});

test('doctor reports a missing, late or asynchronous standby, an unused slot and unarchived WAL', async () => {
  const { database, url } = installation;
  await assertFound('WARNING', [/There is no standby/, /archive_mode is off/], { DATABASE_URL: url });
  await database.query(`select pg_create_physical_replication_slot('left_behind', true)`);
  await assertFound('WARNING', /slot left_behind is not in use/);
  await database.query(`select pg_drop_replication_slot('left_behind')`);
  // A standby that has received nothing yet, reported by the replication protocol.
  const standby = new pg.Client({ connectionString: url, application_name: 'late', replication: 'true' } as object);
  await standby.connect();
  standby.on('error', () => {});
  const { rows: flushPosition } = await database.query<{ lsn: string }>(
    'select pg_current_wal_flush_lsn()::text as lsn',
  );
  const replicationEnd = standby
    .query(`START_REPLICATION PHYSICAL ${flushPosition[0]?.lsn ?? ''}`)
    .catch((error: Error) => error);
  const { connection } = standby as unknown as { connection: { sendCopyFromChunk(chunk: Buffer): void } };
  const emptyBackupArchive = Buffer.alloc(34);
  emptyBackupArchive.write('r');
  for (const offset of [1, 9, 17]) emptyBackupArchive.writeBigUInt64BE(0x1000000n, offset);
  for (let segmentNumber = 0; segmentNumber < 5; segmentNumber += 1) {
    await database.query('create table filled (number int)');
    await database.query('drop table filled');
    await database.query('select pg_switch_wal()');
  }
  // Waits until the server has processed the report.
  for (let isTaken = false; !isTaken;) {
    connection.sendCopyFromChunk(emptyBackupArchive);
    const pendingQuery = database.query<{ lsn: string | null }>(
      'select replay_lsn::text as lsn, pg_sleep(0.05)::text from pg_stat_replication',
    );
    const outcome = await Promise.race([pendingQuery, replicationEnd]);
    if (outcome instanceof Error) throw outcome;
    isTaken = Boolean((await pendingQuery).rows[0]?.lsn);
  }
  await assertFound('WARNING', [/standbys: The standby late is \d+ MB/, /1 standbys, none of them synchronous/]);
  (standby as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  await database.query(`alter system set synchronous_standby_names = 'gone'`);
  await database.query('select pg_reload_conf()');
  await assertFound('FAULT', /no such standby is connected: every commit waits/);
  await database.query('alter system reset synchronous_standby_names');
  await database.query('select pg_reload_conf()');
});

test('doctor reports WAL that cannot be archived', async () => {
  await installation.database.query(`alter system set archive_mode = 'on'`);
  await installation.database.query(`alter system set archive_command = 'false'`);
  await installation.restart();
  await installation.database.query('select pg_switch_wal()');
  for (let failureCount = 0; failureCount === 0;) {
    const { rows } = await installation.database.query<{ fails: number }>(
      'select failed_count::int as fails, pg_sleep(0.05)::text from pg_stat_archiver',
    );
    failureCount = rows[0]?.fails ?? 0;
  }
  await assertFound('FAULT', /archive: The last WAL file could not be archived/);
  await installation.database.query('alter system reset all');
  await installation.restart();
});

test('doctor reports a feed that was never read, and one that is no longer read', async () => {
  const { database } = installation;
  await database.query('update deposit_feed set read_at = null');
  await assertFound('WARNING', /feeds: SCB was never read\./);
  await database.query('update deposit_feed set is_watched = false');
  await assertFound('WARNING', /feeds: No feed was ever read/);
  await database.query(`update deposit_feed set is_watched = true, polled_at = now() - interval '2 minutes'`);
  await assertFound('FAULT', /feeds: SCB was not read for 2 min/);
  await database.query(`update deposit_feed set polled_at = now() + interval '1 hour', read_at = now()`);
  await assertSound();
});

test('doctor does not report an archive as right that has received nothing yet', async () => {
  const archivedSql = `select 0::bigint as archived_count, 0::bigint as failed_count,
    null::timestamptz as last_archived_time, null::timestamptz as last_failed_time`;
  await installation.database.query(`alter system set archive_mode = 'on'`);
  await installation.database.query(`alter system set archive_command = 'true'`);
  await installation.restart();
  await installation.database.query(`create view public.pg_stat_archiver as ${archivedSql}`);
  await installation.database.query('alter database krapao set search_path = public, pg_catalog');
  await assertFound('WARNING', /archive: No WAL file was archived yet/);
  await installation.database.query('alter database krapao reset search_path');
  await installation.database.query('drop view public.pg_stat_archiver');
  await installation.database.query('alter system reset all');
  await installation.restart();
});

test('doctor reports changed collations, old transaction ids and a pooler in transaction mode', async () => {
  await installation.database.query(
    `update pg_database set datcollversion = 'before' where datname = current_database()`,
  );
  await assertFound('FAULT', /collation: Indexes of krapao were made with the collation version before/);
  await installation.database.query(`update pg_database set datcollversion = null where datname = current_database()`);
  await replaceFunction('age(xid)', 'integer', 'select 1100000000', () =>
    assertFound('WARNING', /transaction ids: The oldest transaction id is 1100 million old/),
  );
  await replaceFunction('mxid_age(xid)', 'integer', 'select 1700000000', () =>
    assertFound('FAULT', /transaction ids: The oldest transaction id is 1700 million old/),
  );
  // Two clients on one connection, as behind PgBouncer.
  await replaceFunction('pg_backend_pid()', 'integer', 'select 7', () =>
    assertFound('FAULT', /pooler: A pooler lends connections per transaction/),
  );
  await assertSound();
});

test('doctor reports late settlement and items that wait for an operator', async () => {
  await installation.database.query(
    `insert into deposit_arrival (id, sending_bank, trans_ref, house_account, currency, amount, sender_account, sender_name,
       sent_at, work_at)
     values (gen_random_uuid(), '014', 'LATE1', 'SCB', 'BAHT', 100, '1', 'A', now(), now() - interval '2 hours')`,
  );
  await installation.database.query(
    `insert into deposit_parked (gateway, reference, reason, evidence, first_at)
     values ('FP', 'R1', 'AMOUNT', '', now() - interval '3 days')`,
  );
  await assertFound('FAULT', /queues: arrival: 1 wait for the resolver, the oldest for 2 h/);
  await installation.database.query('delete from deposit_arrival');
  await assertFound('WARNING', /queues: qrcode: 1 wait for an operator, the oldest for 3 d/);
  await installation.database.query('delete from deposit_parked');
  await assertSound();
});

test('doctor reports a database that is away, missing or of another version, and checks the rest', async () => {
  const port = await freePort();
  await assertFound('FAULT', /database: No PostgreSQL answers at DATABASE_URL/, {
    DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none`,
  });
  await assertFound(
    'FAULT',
    /\/nowhere\/ca\.crt, which DATABASE_URL names, can't be read \(ENOENT\): check sslrootcert/,
    {
      DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none?sslrootcert=/nowhere/ca.crt`,
    },
  );
  const emptyDirectory = mkdtempSync(join(tmpdir(), 'krapao-doctor-empty-'));
  await assertFound('FAULT', /database: There is no database in/, { DATA_DIR: emptyDirectory });
  rmSync(emptyDirectory, { recursive: true });
  await installation.database.query(
    'delete from schema_migration where number = (select max(number) from schema_migration)',
  );
  await assertFound('FAULT', /database: This database is older than this program/);
  const { output } = await installation.runDoctor();
  assert.match(output, /^right +disk: /m);
});
