import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const MAX_BYTES = 1024 * 1024;
/** About 7 kB each: three times the limit of the log files. */
const CALL_COUNT = 450;

describe('the log files', () => {
  let root: string;
  let system: System;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'krapao-log-'));
    system = await startSystem({ simulators: false });
  });
  after(async () => {
    await system.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function runWithServer(directory: string, runTest: (server: ServerProcess) => Promise<void>): Promise<void> {
    const environment = { DATA_DIR: directory, LOG_TO: 'file', LOG_MAX_MB: '1' };
    const server = await startServerProcess(system, 'info', undefined, environment);
    try {
      await runTest(server);
      assert.equal(server.readLog(), '');
    } finally {
      await server.stop();
    }
  }

  const totalLogBytes = (folder: string) =>
    readdirSync(folder)
      // A concurrent rotation may have renamed the file.
      .reduce((total, name) => total + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);

  /** Numbers in the logged paths, oldest first; every line is complete. */
  function readLoggedNumbers(folder: string): number[] {
    const files = readdirSync(folder).toSorted((a, b) => b.localeCompare(a));
    const logLines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
    const loggedPaths = logLines.map((logLine) => (JSON.parse(logLine) as { path?: string }).path ?? '');
    return loggedPaths.flatMap((path) => /^\/api\/none\/(\d+)-x+$/.exec(path)?.[1] ?? []).map(Number);
  }

  test('log files rotate while the server runs, within their limit, and lose or truncate no kept line', async () => {
    const directory = join(root, 'rotating');
    const folder = join(directory, 'logs');
    mkdirSync(folder, { recursive: true });
    // Of a start with a higher bound.
    writeFileSync(join(folder, 'server.log.3'), 'x'.repeat(2 * MAX_BYTES));
    let maxBytes = 0;
    await runWithServer(directory, async (server) => {
      for (let callNumber = 0; callNumber < CALL_COUNT; callNumber += 1) {
        const reply = await fetch(`${server.url}/api/none/${callNumber}-${'x'.repeat(7000)}`);
        assert.equal(reply.status, 404);
        await reply.text();
        maxBytes = Math.max(maxBytes, totalLogBytes(folder));
      }
      assert.ok(existsSync(join(folder, 'server.log.4')), 'as many as there may be, and still the same process');
    });
    const storedNumbers = readLoggedNumbers(folder);
    const first = CALL_COUNT - storedNumbers.length;
    assert.deepEqual(
      storedNumbers,
      storedNumbers.map((_, index) => first + index),
    );
    assert.equal(storedNumbers.at(-1), CALL_COUNT - 1);
    assert.ok(first > 0);
    assert.ok(maxBytes <= MAX_BYTES, `${maxBytes}`);
    assert.ok(maxBytes > MAX_BYTES * 0.75, `${maxBytes}: the bound is used`);

    // The next start continues the same file.
    await runWithServer(directory, async () => {});
    assert.deepEqual(readLoggedNumbers(folder).slice(-100), storedNumbers.slice(-100));
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  });

  test('log files that cannot be written do not stop the server', async () => {
    const directory = join(root, 'full');
    mkdirSync(join(directory, 'logs'), { recursive: true });
    symlinkSync('/dev/full', join(directory, 'logs/server.log'));
    await runWithServer(directory, async (server) => {
      for (let callNumber = 0; callNumber < 20; callNumber += 1)
        assert.equal((await fetch(`${server.url}/api/lookup/info`)).status, 200);
    });
  });

  test('log files that cannot be opened stop the start with a message', async () => {
    const directory = join(root, 'refused');
    mkdirSync(directory);
    writeFileSync(join(directory, 'logs'), '');
    await assert.rejects(
      runWithServer(directory, async () => {}),
      /logs is not a folder: set DATA_DIR to another one/,
    );
  });
});
