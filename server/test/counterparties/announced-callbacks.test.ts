import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { outsideWithBackend } from '../chat/chat-fixtures.ts';
import { startSystem } from '../harness/system.ts';

const PAGE = join(import.meta.dirname, '../../../docs/deploy/outside-file.md');

test('outside-file.md lists exactly the callback addresses that the server accepts', async () => {
  const announced = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `\w+` +\| `(\/api\/callback\/[^`?]+)/gm)].map(
    ([, path = '']) => path,
  );
  const system = await startSystem({ simulators: false, outside: outsideWithBackend });
  try {
    const routes = system.app.http.printRoutes({ commonPrefix: false });
    const taken = [...routes.matchAll(/(\/api\/callback\/[\w/-]+) \(POST\)/g)].map(([, path = '']) => path);
    assert.equal(taken.length, 9);
    for (const path of taken) assert.ok(announced.includes(path), path);
    assert.equal(announced.length, 10);
    for (const path of announced) {
      const { status } = await system.api(`POST ${path}`, { body: {} });
      assert.ok(status >= 400 && status !== 404, `${path}: ${status}`);
    }
  } finally {
    await system.stop();
  }
});
