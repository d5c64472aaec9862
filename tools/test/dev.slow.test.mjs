import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../install.mjs';

const PATIENCE_MS = 180_000;

let folder;
before(() => (folder = mkdtempSync(join(tmpdir(), 'krapao-dev-'))));
after(() => rmSync(folder, { recursive: true, force: true }));

test('npm run dev serves app sources and API at one address, restarts the server on changes, and ends by Ctrl-C', async () => {
  const data = join(folder, 'data');
  const child = spawn(process.execPath, [join(ROOT, 'tools/start.mjs'), '--dev'], {
    cwd: ROOT,
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', SIMULATORS_PORT: '0', DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let outputText = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (outputText += text));
  const untilSaid = async (pattern) => {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS && !pattern.test(outputText); waitedMs += 50) {
      assert.equal(child.exitCode, null, outputText);
      await wait(50);
    }
    return pattern.exec(outputText) ?? assert.fail(outputText);
  };
  try {
    const [, url] = await untilSaid(/^Krapao is ready: (http:\/\/localhost:\d+) \(app\)/m);
    const page = await (await fetch(url)).text();
    assert.match(page, /\/@vite\/client/, 'the page reloads by itself');
    assert.match(await (await fetch(`${url}/src/main.tsx`)).text(), /createRoot/);
    const apiStatus = async () => (await fetch(`${url}/api/lookup/info`)).status;
    assert.equal(await apiStatus(), 200);

    const now = new Date();
    utimesSync(join(ROOT, 'server/src/main.ts'), now, now);
    await untilSaid(/^The server is up again/m);
    assert.equal(await apiStatus(), 200);

    const { children } = JSON.parse(readFileSync(join(data, 'running.json'), 'utf8'));
    assert.equal(children.length, 3, 'the simulators, the app, the server');
    process.kill(-Number(child.pid), 'SIGINT');
    await once(child, 'exit');
    assert.equal(child.exitCode, 0, outputText);
    for (const { pid } of children) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM');
  }
});
