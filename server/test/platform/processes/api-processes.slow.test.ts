import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memberRoom } from '@krapao/contract/events';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  postDeposits,
  openEventListener,
  type EventListener,
  waitUntil,
  waitForEvents,
  waitForJoins,
} from '../../event/member-socket.ts';
import { waitUntilResult } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { createTestLedger } from '../../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const TWO_API_PROCESSES = { API_PROCESSES: '2' };
/** The processes get connections in turn: this many reach both. */
const CALL_COUNT = 8;

type HttpReply = { status: number; body: string };

/** A call on a connection of its own. */
function callServer(url: string, method = 'GET', body = ''): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, {
      method,
      agent: false,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
    });
    clientRequest.on('error', reject);
    clientRequest.on('response', (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
    });
    clientRequest.end(body);
  });
}

type LogLine = { pid: number; path?: string; msg?: string };

/** Complete lines of a log: the last one may be incomplete. */
const logLinesOf = (log: string): LogLine[] =>
  log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

const loggedPidsOf = (log: string): number[] => [
  ...new Set(logLinesOf(log).flatMap(({ pid, path }) => (path === '/health/live' ? [pid] : []))),
];

let system: System;
let ledger: Ledger;
let member: TestMember;
let server: ServerProcess;

before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  member = await registerMember(system);
  server = await startServerProcess(system, 'info', undefined, TWO_API_PROCESSES);
  await waitUntilBothServe(server, () => server.readLog());
});
after(async () => {
  await server?.stop();
  await ledger?.close();
  await system?.stop();
});

/** @returns pids of the processes that replied */
async function waitUntilBothServe({ url }: { url: string }, log: () => string): Promise<number[]> {
  return waitUntilResult(
    'processes that answer',
    async () => {
      for (let callNumber = 0; callNumber < CALL_COUNT; callNumber += 1)
        assert.equal((await callServer(`${url}/health/live`)).status, 200);
      return loggedPidsOf(log());
    },
    (pids) => pids.length === 2,
  );
}

test('with several API processes each socket receives the money events of its member from every process', async () => {
  const listeners: EventListener[] = Array.from({ length: CALL_COUNT }, () => openEventListener(server.url, member));
  try {
    for (const listener of listeners) await waitForJoins(listener);
    await postDeposits(ledger, member.id, 3);
    for (const listener of listeners) await waitForEvents(listener, 3);
  } finally {
    for (const { socket } of listeners) socket.close();
  }
});

test('a session of Socket.IO by polling works although its requests reach several API processes', async () => {
  const address = `${server.url}/socket.io/?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await callServer(address)).body.slice(1)) as { sid: string };
  const sendPacket = async (packet: string): Promise<void> => {
    const reply = await callServer(`${address}&sid=${sid}`, 'POST', packet);
    assert.deepEqual(reply, { status: 200, body: 'ok' });
  };
  let received = '';
  const receivePacket = async (): Promise<void> => {
    const reply = await callServer(`${address}&sid=${sid}`);
    assert.equal(reply.status, 200, reply.body);
    received += reply.body;
  };
  await sendPacket('40');
  await receivePacket();
  await sendPacket(`421${JSON.stringify(['join', { room: memberRoom(member.id), token: member.token }])}`);
  while (!received.includes('{"joined":true}')) await receivePacket();
  await postDeposits(ledger, member.id, 1);
  while (!received.includes('"kind":"deposit"')) await receivePacket();
  await sendPacket('41');
});

test('a session by polling changes to a websocket that another API process has accepted', async () => {
  for (let round = 0; round < 2; round += 1) {
    const listener = openEventListener(server.url, member, { transports: ['polling', 'websocket'] });
    try {
      await waitUntil(
        () => listener.socket.io.engine?.transport.name === 'websocket',
        () => 'no upgrade',
      );
      await waitForJoins(listener);
      await postDeposits(ledger, member.id, 1);
      await waitForEvents(listener, 1);
    } finally {
      listener.socket.close();
    }
  }
});

test('/metrics counts the calls of all API processes, and values of the database once', async () => {
  const countOf = async (): Promise<number> => {
    const { body } = await callServer(`${server.url}/metrics`);
    const metricLine = /^http_request_seconds_count\{method="GET",route="\/health\/live",status="200"\} (\d+)$/m.exec(
      body,
    );
    assert.match(body, /^krapao_queue_items\{queue="qrcode",waits_for="operator"\} 0$/m);
    return Number(metricLine?.[1] ?? 0);
  };
  const before = await countOf();
  for (let callNumber = 0; callNumber < CALL_COUNT; callNumber += 1) await callServer(`${server.url}/health/live`);
  assert.equal(await countOf(), before + CALL_COUNT);
  assert.equal(await countOf(), before + CALL_COUNT);
});

test('SIGTERM drains all API processes: /health/ready is 404 while calls succeed; a second one ends every process', async () => {
  const drainingServer = await startServerProcess(system, 'info', undefined, {
    ...TWO_API_PROCESSES,
    DRAIN_MS: '60000',
  });
  let pids: number[] = [];
  let serverStopped: Promise<void> | undefined;
  try {
    pids = await waitUntilBothServe(drainingServer, () => drainingServer.readLog());
    serverStopped = drainingServer.stop();
    await waitUntilResult(
      '/health/ready',
      async () => (await callServer(`${drainingServer.url}/health/ready`)).status,
      (status) => status === 404,
    );
    for (let callNumber = 0; callNumber < 2; callNumber += 1)
      assert.equal((await callServer(`${drainingServer.url}/health/live`)).status, 200);
  } finally {
    // A second SIGTERM after the first.
    await drainingServer.stop();
    await serverStopped;
  }
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/);
});

test('an API process that ends unexpectedly ends all, with a message', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-several-'));
  const logFile = join(directory, 'logs/server.log');
  const log = (): string => readFileSync(logFile, 'utf8');
  const brokenServer = await startServerProcess(system, 'info', undefined, {
    ...TWO_API_PROCESSES,
    DATA_DIR: directory,
    LOG_TO: 'file',
  });
  try {
    const [first = 0, second = 0] = await waitUntilBothServe(brokenServer, log);
    process.kill(first, 'SIGKILL');
    await waitUntilResult(
      'the other process',
      async () => isAlive(second),
      (isAlive) => !isAlive,
    );
    assert.match(brokenServer.readLog(), /API process \d was stopped by SIGKILL\./);
    assert.ok(
      logLinesOf(log()).some(({ pid, msg }) => pid === second && msg === 'stopped'),
      'the other one stopped in order',
    );
  } finally {
    await brokenServer.stop();
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
