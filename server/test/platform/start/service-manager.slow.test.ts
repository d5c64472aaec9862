import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { signalEveryMs } from '../../../src/platform/start/service-manager.ts';
import { freePort } from '../../harness/free-port.ts';
import { waitUntilResult } from '../../harness/games.ts';
import { type NotifySocket, openNotifySocket } from '../../harness/notify-socket.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const WATCHDOG_LINE = 'WATCHDOG=1';
const WATCHDOG_MS = 400;
/** Number of signals during a freeze, if another process than the server sent them. */
const SIGNALS_MISSED_MAX = 15;
/** One signal that systemd-notify is sending, and one for earlier replies. */
const PENDING_SIGNALS_MAX = 2;

let system: System;
let notifySocket: NotifySocket;
let server: ServerProcess | undefined;

before(async () => (system = await startSystem({ simulators: false })));
after(() => system.stop());

async function runWithServer(environment: Record<string, string>, runTest: (server: ServerProcess) => Promise<void>) {
  notifySocket = await openNotifySocket(WATCHDOG_MS);
  try {
    server = await startServerProcess(system, 'info', undefined, { ...environment, ...notifySocket.environment });
    await runTest(server);
  } finally {
    await server?.stop();
    notifySocket.close();
  }
}

const waitForSignalLine = (signalLine: string, count: number): Promise<number> =>
  waitUntilResult(
    `${count} of ${signalLine}`,
    async () => notifySocket.countLines(signalLine),
    (lineCount) => lineCount >= count,
  );

/** Asserts that signals stop while something is frozen, and continue afterwards. */
async function assertSilentWhile(freezeServer: () => void, thawServer: () => void): Promise<void> {
  await waitForSignalLine(WATCHDOG_LINE, 3);
  freezeServer();
  try {
    const before = notifySocket.countLines(WATCHDOG_LINE);
    await wait(SIGNALS_MISSED_MAX * signalEveryMs(WATCHDOG_MS));
    const newLines = notifySocket.countLines(WATCHDOG_LINE) - before;
    assert.ok(newLines <= PENDING_SIGNALS_MAX, `${newLines} signals of a frozen server`);
  } finally {
    thawServer();
  }
  await waitForSignalLine(WATCHDOG_LINE, notifySocket.countLines(WATCHDOG_LINE) + 3);
}

test('systemd receives READY when the port replies, after a request for more start time, and STOPPING when a drain begins', async () => {
  notifySocket = await openNotifySocket();
  const port = String(await freePort());
  const startingServer = startServerProcess(system, 'warn', undefined, {
    ...notifySocket.environment,
    PORT: port,
    DRAIN_MS: '60000',
  });
  try {
    await waitForSignalLine('READY=1', 1);
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
    server = await startingServer;
    const [first, ...laterLines] = notifySocket.receivedLines();
    assert.equal(first, 'EXTEND_TIMEOUT_USEC=60000000');
    // Possibly twice on a slow machine.
    assert.deepEqual(
      laterLines.filter((receivedLine) => receivedLine !== first),
      ['READY=1'],
    );
    const serverStopped = server.stop();
    await waitForSignalLine('STOPPING=1', 1);
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 404);
    // A second SIGTERM ends the drain.
    await server.stop();
    await serverStopped;
    assert.equal(notifySocket.receivedLines().at(-1), 'STOPPING=1');
    assert.equal(notifySocket.countLines('STOPPING=1'), 1);
  } finally {
    await (await startingServer).kill();
    notifySocket.close();
  }
});

test('the watchdog is notified in less than half its period, and not while the server is frozen', async () => {
  assert.ok(signalEveryMs(WATCHDOG_MS) < WATCHDOG_MS / 2);
  await runWithServer({}, (server) =>
    assertSilentWhile(
      () => server.freeze(),
      () => server.thaw(),
    ),
  );
});

test('with several API processes the watchdog is not notified while the event loop of one of them hangs', async () => {
  await runWithServer({ API_PROCESSES: '2' }, async (server) => {
    const pids = await waitUntilResult(
      'API processes',
      async () => [...server.readLog().matchAll(/"pid":(\d+).*"msg":"ready"/g)].map(([, pid]) => Number(pid)),
      (foundPids) => foundPids.length === 2,
    );
    for (const pid of pids) {
      await assertSilentWhile(
        () => process.kill(pid, 'SIGSTOP'),
        () => process.kill(pid, 'SIGCONT'),
      );
    }
  });
});
