import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memberRoom } from '@krapao/contract/events';
import type { Ledger } from '../../../src/ledger/index.ts';
import { deposit, listen, type Listener, until, untilEvents, untilJoined } from '../../event/member-socket.ts';
import { eventually } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { ledgerOf } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const SEVERAL = { API_PROCESSES: '2' };
/** Connections are given to the processes in turn: so many reach both. */
const CALLS = 8;

type Reply = { status: number; body: string };

/** A call on a connection of its own. */
function call(url: string, method = 'GET', body = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent: false, headers: { 'content-type': 'text/plain;charset=UTF-8' } });
    sent.on('error', reject);
    sent.on('response', (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
    });
    sent.end(body);
  });
}

type Line = { pid: number; path?: string; msg?: string };

/** Whole lines of a log: the last one may be written at this moment. */
const linesOf = (log: string): Line[] =>
  log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

const pidsOf = (log: string): number[] => [
  ...new Set(linesOf(log).flatMap(({ pid, path }) => (path === '/health/live' ? [pid] : []))),
];

let system: System;
let ledger: Ledger;
let member: TestMember;
let server: ServerProcess;

before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  member = await registerMember(system);
  server = await startServerProcess(system, 'info', undefined, SEVERAL);
  await bothServe(server, () => server.written());
});
after(async () => {
  await server?.stop();
  await ledger?.close();
  await system?.stop();
});

/** @returns the processes that answer */
async function bothServe({ url }: { url: string }, log: () => string): Promise<number[]> {
  return eventually(
    'processes that answer',
    async () => {
      for (let calls = 0; calls < CALLS; calls += 1) assert.equal((await call(`${url}/health/live`)).status, 200);
      return pidsOf(log());
    },
    (pids) => pids.length === 2,
  );
}

test('with several API processes each socket receives the money events of its member from every process', async () => {
  const listeners: Listener[] = Array.from({ length: CALLS }, () => listen(server.url, member));
  try {
    for (const listener of listeners) await untilJoined(listener);
    await deposit(ledger, member.id, 3);
    for (const listener of listeners) await untilEvents(listener, 3);
  } finally {
    for (const { socket } of listeners) socket.close();
  }
});

test('a session of Socket.IO by polling works although its requests reach several API processes', async () => {
  const address = `${server.url}/socket.io/?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await call(address)).body.slice(1)) as { sid: string };
  const send = async (packet: string): Promise<void> => {
    const reply = await call(`${address}&sid=${sid}`, 'POST', packet);
    assert.deepEqual(reply, { status: 200, body: 'ok' });
  };
  let received = '';
  const receive = async (): Promise<void> => {
    const reply = await call(`${address}&sid=${sid}`);
    assert.equal(reply.status, 200, reply.body);
    received += reply.body;
  };
  await send('40');
  await receive();
  await send(`421${JSON.stringify(['join', { room: memberRoom(member.id), token: member.token }])}`);
  while (!received.includes('{"joined":true}')) await receive();
  await deposit(ledger, member.id, 1);
  while (!received.includes('"kind":"deposit"')) await receive();
  await send('41');
});

test('a session by polling changes to a websocket that another API process has accepted', async () => {
  for (let round = 0; round < 2; round += 1) {
    const listener = listen(server.url, member, { transports: ['polling', 'websocket'] });
    try {
      await until(
        () => listener.socket.io.engine?.transport.name === 'websocket',
        () => 'no upgrade',
      );
      await untilJoined(listener);
      await deposit(ledger, member.id, 1);
      await untilEvents(listener, 1);
    } finally {
      listener.socket.close();
    }
  }
});

test('/metrics counts the calls of all API processes, and what stands in the database once', async () => {
  const countOf = async (): Promise<number> => {
    const { body } = await call(`${server.url}/metrics`);
    const line = /^http_request_seconds_count\{method="GET",route="\/health\/live",status="200"\} (\d+)$/m.exec(body);
    assert.match(body, /^krapao_queue_items\{queue="qrcode",waits_for="operator"\} 0$/m);
    return Number(line?.[1] ?? 0);
  };
  const before = await countOf();
  for (let calls = 0; calls < CALLS; calls += 1) await call(`${server.url}/health/live`);
  assert.equal(await countOf(), before + CALLS);
  assert.equal(await countOf(), before + CALLS);
});

test('SIGTERM lets all API processes drain: /health/ready says 404, calls succeed; asked again every process ends', async () => {
  const draining = await startServerProcess(system, 'info', undefined, { ...SEVERAL, DRAIN_MS: '60000' });
  let pids: number[] = [];
  let stopped: Promise<void> | undefined;
  try {
    pids = await bothServe(draining, () => draining.written());
    stopped = draining.stop();
    await eventually(
      '/health/ready',
      async () => (await call(`${draining.url}/health/ready`)).status,
      (status) => status === 404,
    );
    for (let calls = 0; calls < 2; calls += 1) assert.equal((await call(`${draining.url}/health/live`)).status, 200);
  } finally {
    // A second SIGTERM, where the first was sent.
    await draining.stop();
    await stopped;
  }
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/);
});

test('an API process that ends by itself ends all, with a sentence', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-several-'));
  const logFile = join(directory, 'logs/server.log');
  const log = (): string => readFileSync(logFile, 'utf8');
  const broken = await startServerProcess(system, 'info', undefined, {
    ...SEVERAL,
    DATA_DIR: directory,
    LOG_TO: 'file',
  });
  try {
    const [first = 0, second = 0] = await bothServe(broken, log);
    process.kill(first, 'SIGKILL');
    await eventually(
      'the other process',
      async () => isAlive(second),
      (alive) => !alive,
    );
    assert.match(broken.written(), /API process \d was stopped by SIGKILL\./);
    assert.ok(
      linesOf(log()).some(({ pid, msg }) => pid === second && msg === 'stopped'),
      'the other one stopped in order',
    );
  } finally {
    await broken.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
