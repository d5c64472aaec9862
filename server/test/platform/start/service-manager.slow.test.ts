import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { signalEveryMs } from '../../../src/platform/start/service-manager.ts';
import { freePort } from '../../harness/free-port.ts';
import { eventually } from '../../harness/games.ts';
import { type NotifySocket, openNotifySocket } from '../../harness/notify-socket.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const ALIVE = 'WATCHDOG=1';
const WATCHDOG_MS = 400;
/** So many signals would come while a server is frozen if anything else than the server sent them. */
const SIGNALS_MISSED = 15;
/** One that systemd-notify was sending, and one for answers that had come before. */
const SIGNALS_UNDER_WAY = 2;

let system: System;
let systemd: NotifySocket;
let server: ServerProcess | undefined;

before(async () => (system = await startSystem({ simulators: false })));
after(() => system.stop());

async function withServer(environment: Record<string, string>, run: (started: ServerProcess) => Promise<void>) {
  systemd = await openNotifySocket(WATCHDOG_MS);
  try {
    server = await startServerProcess(system, 'info', undefined, { ...environment, ...systemd.environment });
    await run(server);
  } finally {
    await server?.stop();
    systemd.close();
  }
}

const untilHeard = (line: string, count: number): Promise<number> =>
  eventually(
    `${count} of ${line}`,
    async () => systemd.count(line),
    (found) => found >= count,
  );

/** Signals that come while something does not run, and then that they come again. */
async function assertSilentWhile(freeze: () => void, thaw: () => void): Promise<void> {
  await untilHeard(ALIVE, 3);
  freeze();
  try {
    const before = systemd.count(ALIVE);
    await wait(SIGNALS_MISSED * signalEveryMs(WATCHDOG_MS));
    const more = systemd.count(ALIVE) - before;
    assert.ok(more <= SIGNALS_UNDER_WAY, `${more} signals of a frozen server`);
  } finally {
    thaw();
  }
  await untilHeard(ALIVE, systemd.count(ALIVE) + 3);
}

test('systemd receives READY when the port answers, after a request for the time of the start, and STOPPING when a drain begins', async () => {
  systemd = await openNotifySocket();
  const port = String(await freePort());
  const starting = startServerProcess(system, 'warn', undefined, {
    ...systemd.environment,
    PORT: port,
    DRAIN_MS: '60000',
  });
  try {
    await untilHeard('READY=1', 1);
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
    server = await starting;
    const [first, ...more] = systemd.received();
    assert.equal(first, 'EXTEND_TIMEOUT_USEC=60000000');
    // Possibly twice on a slow machine.
    assert.deepEqual(
      more.filter((line) => line !== first),
      ['READY=1'],
    );
    const stopped = server.stop();
    await untilHeard('STOPPING=1', 1);
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 404);
    // A second SIGTERM ends the drain.
    await server.stop();
    await stopped;
    assert.equal(systemd.received().at(-1), 'STOPPING=1');
    assert.equal(systemd.count('STOPPING=1'), 1);
  } finally {
    await (await starting).kill();
    systemd.close();
  }
});

test('the watchdog is notified in less than half of its period, and not while the server is frozen', async () => {
  assert.ok(signalEveryMs(WATCHDOG_MS) < WATCHDOG_MS / 2);
  await withServer({}, (started) =>
    assertSilentWhile(
      () => started.freeze(),
      () => started.thaw(),
    ),
  );
});

test('with several API processes the watchdog is not notified while the event loop of one of them hangs', async () => {
  await withServer({ API_PROCESSES: '2' }, async (started) => {
    const pids = await eventually(
      'API processes',
      async () => [...started.written().matchAll(/"pid":(\d+).*"msg":"ready"/g)].map(([, pid]) => Number(pid)),
      (found) => found.length === 2,
    );
    for (const pid of pids) {
      await assertSilentWhile(
        () => process.kill(pid, 'SIGSTOP'),
        () => process.kill(pid, 'SIGCONT'),
      );
    }
  });
});
