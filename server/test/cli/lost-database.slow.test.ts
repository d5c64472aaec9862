import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createInstallation, type Installation } from '../doctor/installation.ts';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { freePort } from '../harness/free-port.ts';
import { DATABASE_COMMANDS } from './database-commands.ts';

const COMMANDS = [['backup', '/tmp/krapao-lost-database'] as const, ...DATABASE_COMMANDS];

let installation: Installation;
before(async () => {
  installation = await createInstallation();
});
after(() => installation.remove());

function postmasterPid(): number {
  return Number(readFileSync(join(installation.data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The postmaster and, with its children, all processes of PostgreSQL. */
function postgresPids({ withChildren }: { withChildren: boolean }): number[] {
  const pid = postmasterPid();
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return withChildren ? [pid, ...children] : [pid];
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // A worker of autovacuum has ended.
    }
  }
}

/** Runs doctor as a process; asserts its one fault of the database after all other findings, and its duration. */
async function assertDoctorFinds(sentence: RegExp, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const startedAt = performance.now();
  const { status, output } = await runCommandProcess({ databaseUrl: '' }, 'doctor', [], {
    DATA_DIR: installation.data,
    ...environment,
  });
  assert.ok(performance.now() - startedAt < 30_000, `took ${performance.now() - startedAt} ms`);
  assert.match(output, /^right +secrets: [^]*^right +outside file: [^]*^right +disk: /m);
  const [, fault, remedy] = /^FAULT +database: (.*)\n +→ (.*)\n\d+ findings, \d faults/m.exec(output) ?? [];
  assert.match(fault ?? output, sentence);
  assert.equal(remedy, 'docs/runbooks/database.md');
  assert.doesNotMatch(output, /^\s+at /m);
  assert.equal(status, 1);
}

/** Asserts that every command ends with status 1 and one line that matches. */
async function assertCommandsEnd(sentence: RegExp, environment: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(
    COMMANDS.map(async ([name, ...args]) => {
      const { status, output } = await runCommand({ databaseUrl: '' }, name, args, {
        DATA_DIR: installation.data,
        ...environment,
      });
      assert.match(output, sentence, name);
      assert.deepEqual([status, output.trimEnd().split('\n').length], [1, 1], output);
    }),
  );
}

/** Connects to the suspended database until the system refuses with EAGAIN. @returns closes the connections */
async function fillConnectionQueue(): Promise<() => void> {
  const { host, port } = new pg.Client({ connectionString: installation.url });
  const sockets: Socket[] = [];
  for (let refusal = ''; refusal !== 'EAGAIN'; assert.ok(sockets.length < 10_000)) {
    const socket = connect(`${host}/.s.PGSQL.${port}`);
    sockets.push(socket);
    refusal = await new Promise((resolve) => {
      socket.once('connect', () => resolve(''));
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
    });
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

test('doctor and every command end if the embedded database is suspended [R-OPS-04]', async () => {
  const pid = postmasterPid();
  const sentence = new RegExp(`is frozen: its process ${pid} is suspended\\. \`kill -CONT ${pid}\` resumes it`);
  for (const withChildren of [false, true]) {
    const pids = postgresPids({ withChildren });
    let closeQueue = (): void => {};
    signal(pids, 'SIGSTOP');
    try {
      await assertDoctorFinds(sentence);
      if (!withChildren) await assertCommandsEnd(sentence, {});
      else closeQueue = await fillConnectionQueue();
      await assertDoctorFinds(sentence);
    } finally {
      closeQueue();
      signal(pids, 'SIGCONT');
    }
  }
  assert.match((await installation.runDoctor()).output, / 0 faults/);
});

test('a database behind dropped packets is reported as silent, also during a statement', async () => {
  const proxy = await startDatabaseProxy(installation.url);
  const environment = { DATABASE_URL: proxy.url };
  const isWaiting = async () => {
    const { rows } = await installation.database.query('select 1 from pg_locks where not granted');
    return rows.length > 0;
  };
  try {
    proxy.freeze();
    await assertDoctorFinds(/^PostgreSQL at DATABASE_URL does not reply/, environment);
    await assertCommandsEnd(/^PostgreSQL at DATABASE_URL does not reply/, environment);
    proxy.thaw();
    const blocker = new pg.Client({ connectionString: installation.url });
    await blocker.connect();
    await blocker.query('begin; lock table deposit_feed');
    const doctor = assertDoctorFinds(
      /does not reply.*Not examined: feeds, counterparties, encryption at rest\.$/,
      environment,
    );
    while (!(await isWaiting()));
    proxy.freeze();
    await doctor;
    await blocker.end();
  } finally {
    proxy.close();
  }
});

test('a statement that waits for a lock is one fault, and doctor checks the rest', async () => {
  const blocker = new pg.Client({ connectionString: installation.url });
  await blocker.connect();
  await blocker.query('begin; lock table deposit_feed');
  const { status, output } = await installation.runDoctor();
  await blocker.end();
  assert.match(output, /^FAULT +feeds: .* ended a statement: canceling statement due to statement timeout/m);
  assert.match(output, /^right +encryption at rest: /m);
  assert.equal(status, 1);
});

test('doctor names the failure of a database that is gone, full, starting, busy, or refuses the password [R-OPS-04]', async () => {
  const refusals: readonly [RegExp, string][] = [
    [/^No PostgreSQL answers at DATABASE_URL \(ECONNREFUSED\)/, `postgresql://x@127.0.0.1:${await freePort()}/krapao`],
    [/^PostgreSQL refuses user or password of DATABASE_URL: no/, await refusingUrl('28P01', 'no')],
    [/^PostgreSQL at DATABASE_URL has no free connection: no/, await refusingUrl('53300', 'no')],
    [/^PostgreSQL at DATABASE_URL takes no connections now: no/, await refusingUrl('57P03', 'no')],
    [/^The disk of PostgreSQL at DATABASE_URL is full: no/, await refusingUrl('53100', 'no')],
  ];
  for (const [sentence, DATABASE_URL] of refusals) {
    await assertDoctorFinds(sentence, { DATABASE_URL });
  }
  for (const [sentence, DATABASE_URL] of refusals.slice(0, 2)) await assertCommandsEnd(sentence, { DATABASE_URL });
});

/** Address of a server that refuses each session with this SQLSTATE, as a crashed, full or other PostgreSQL does. */
async function refusingUrl(sqlState: string, message: string): Promise<string> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeUInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `postgresql://krapao@127.0.0.1:${(server.address() as AddressInfo).port}/krapao`;
}

test('doctor ends and checks the rest if a file is on a file system that does not reply', async () => {
  const pipe = join(installation.data, 'silent.json');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
  const { status, output } = await installation.runDoctor({ SECRETS_FILE: pipe });
  assert.match(output, /^FAULT +secrets: .*silent\.json can't be read: its file system does not reply\./m);
  assert.match(output, /^right +outside file: [^]*^right +durability: /m);
  assert.equal(status, 1);
});
