import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

let system: System;
let server: ServerProcess;

before(async () => {
  system = await startSystem({ simulators: false });
  server = await startServerProcess(system, 'info');
});
after(async () => {
  await server?.stop();
  await system?.stop();
});

test('the log of a running server shows the path of each call without the secrets in it', async () => {
  const PATH_CASES = [
    ['/api/autoLogin/pg/KRPA01/s3cret?key=s3cret', '/api/autoLogin/pg/KRPA01/[hidden]'],
    ['/api/chat-file/s3cret', '/api/chat-file/[hidden]'],
    ['/api/slip-picture/s3cret', '/api/slip-picture/[hidden]'],
    ['/api/none?key=s3cret', '/api/none'],
  ];
  for (const [path] of PATH_CASES) await fetch(server.url + path);
  const loggedPaths = (await server.waitForLog(/"path":"\/api\/none"/))
    .split('\n')
    .flatMap((logLine) => (logLine.startsWith('{') ? ((JSON.parse(logLine) as { path?: string }).path ?? []) : []))
    .filter((path) => path.startsWith('/api/'));
  assert.deepEqual(
    loggedPaths,
    PATH_CASES.map(([, loggedPath]) => loggedPath),
  );
  assert.doesNotMatch(server.readLog(), /s3cret/);
});
