import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiClient } from '../../harness/api-client.ts';
import { startServerProcess } from '../../harness/server-process.ts';
import { startSystem } from '../../harness/system.ts';

test('a full disk under the log does not stop the server', { timeout: 240_000 }, async () => {
  const system = await startSystem({ simulators: false });
  const server = await startServerProcess(system, 'debug', '/dev/full');
  try {
    const api = apiClient(server.url);
    for (let callNumber = 0; callNumber < 20; callNumber += 1) {
      assert.equal((await api('GET /api/lookup/info')).status, 200);
      assert.equal((await api('GET /api/wallet')).body.message, 'UNAUTHORIZED');
    }
    assert.equal((await api('GET /health/ready')).status, 200);
    assert.equal(server.readLog(), '', 'and there is nothing to complain of');
  } finally {
    await server.stop();
    await system.stop();
  }
});
