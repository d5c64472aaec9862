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
/** Some 7 kB each: three times what may be kept. */
const CALLS = 450;

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

  async function withServer(directory: string, use: (server: ServerProcess) => Promise<void>): Promise<void> {
    const environment = { DATA_DIR: directory, LOG_TO: 'file', LOG_MAX_MB: '1' };
    const server = await startServerProcess(system, 'info', undefined, environment);
    try {
      await use(server);
      assert.equal(server.written(), '');
    } finally {
      await server.stop();
    }
  }

  const totalOf = (folder: string) =>
    readdirSync(folder)
      // It may have another name by now.
      .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);

  /** The number in each path that the lines of the log name, the oldest first; every line is whole. */
  function numbersIn(folder: string): number[] {
    const files = readdirSync(folder).toSorted((one, other) => other.localeCompare(one));
    const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
    const paths = lines.map((line) => (JSON.parse(line) as { path?: string }).path ?? '');
    return paths.flatMap((path) => /^\/api\/none\/(\d+)-x+$/.exec(path)?.[1] ?? []).map(Number);
  }

  test('rotate while the server runs, within their bound, and lose or cut no line of what is kept', async () => {
    const directory = join(root, 'rotating');
    const folder = join(directory, 'logs');
    mkdirSync(folder, { recursive: true });
    // Of a start with a higher bound.
    writeFileSync(join(folder, 'server.log.3'), 'x'.repeat(2 * MAX_BYTES));
    let most = 0;
    await withServer(directory, async (server) => {
      for (let call = 0; call < CALLS; call += 1) {
        const reply = await fetch(`${server.url}/api/none/${call}-${'x'.repeat(7000)}`);
        assert.equal(reply.status, 404);
        await reply.text();
        most = Math.max(most, totalOf(folder));
      }
      assert.ok(existsSync(join(folder, 'server.log.4')), 'as many as there may be, and still the same process');
    });
    const kept = numbersIn(folder);
    const first = CALLS - kept.length;
    assert.deepEqual(
      kept,
      kept.map((_, index) => first + index),
    );
    assert.equal(kept.at(-1), CALLS - 1);
    assert.ok(first > 0);
    assert.ok(most <= MAX_BYTES, `${most}`);
    assert.ok(most > MAX_BYTES * 0.75, `${most}: the bound is used`);

    // The next start continues the same file.
    await withServer(directory, async () => {});
    assert.deepEqual(numbersIn(folder).slice(-100), kept.slice(-100));
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  });

  test('that take no more do not stop the server', async () => {
    const directory = join(root, 'full');
    mkdirSync(join(directory, 'logs'), { recursive: true });
    symlinkSync('/dev/full', join(directory, 'logs/server.log'));
    await withServer(directory, async (server) => {
      for (let call = 0; call < 20; call += 1) assert.equal((await fetch(`${server.url}/api/lookup/info`)).status, 200);
    });
  });

  test('that can not be opened stop the start with a sentence', async () => {
    const directory = join(root, 'refused');
    mkdirSync(directory);
    writeFileSync(join(directory, 'logs'), '');
    await assert.rejects(
      withServer(directory, async () => {}),
      /logs is not a folder: set DATA_DIR to another one/,
    );
  });
});
