import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { CHILD_ENVIRONMENT } from '../../harness/child-environment.ts';
import { freePort } from '../../harness/free-port.ts';
import { freshDatabase } from '../../harness/fresh-database.ts';
import { buildTestOutside, writeOutside } from '../../harness/outside-file.ts';
import { insertPlainMember } from '../../harness/plain-member.ts';

const MAIN_PATH = join(import.meta.dirname, '../../../src/main.ts');

let root: string;
let port: number;

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'krapao-main-'));
  port = await freePort();
});
after(() => rmSync(root, { recursive: true, force: true }));

function dataDirectory(name: string): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  writeOutside(join(directory, 'outside.json'), buildTestOutside(`http://127.0.0.1:${port}`, 'http://127.0.0.1:1'));
  writeFileSync(
    join(directory, 'secrets.json'),
    JSON.stringify({ encryptionKey: Buffer.alloc(32, 3).toString('base64') }),
  );
  return directory;
}

function launch(environment: Record<string, string>): { child: ChildProcess; readOutput: () => string } {
  const child = spawn(process.execPath, [MAIN_PATH], {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: String(port),
      LOG_LEVEL: 'error',
      DRAIN_MS: '0',
      API_PROCESSES: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  }
  return { child, readOutput: () => text };
}

/** Waits until the server refuses connections. */
async function waitUntilClosed(): Promise<void> {
  for (let isOpen = true; isOpen;) {
    isOpen = await fetch(`http://127.0.0.1:${port}/health/live`)
      .then((reply) => reply.text())
      .then(
        () => true,
        () => false,
      );
  }
}

async function startRefusal(environment: Record<string, string>): Promise<string> {
  const { child, readOutput } = launch(environment);
  const [code] = (await once(child, 'close')) as [number];
  assert.equal(code, 1, readOutput());
  assert.doesNotMatch(readOutput(), /^\s+at /m, 'a sentence, not a stack');
  return readOutput().trim();
}

async function startMain(environment: Record<string, string>): Promise<ChildProcess> {
  const { child, readOutput } = launch(environment);
  const first = await Promise.race([once(child, 'message'), once(child, 'close')]);
  assert.deepEqual(first, [{ ready: `http://127.0.0.1:${port}` }, undefined], readOutput());
  return child;
}

async function stopMain(child: ChildProcess): Promise<number> {
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  return code;
}

describe('the start of the server', () => {
  test('an invalid variable stops the start with its name', async () => {
    assert.equal(await startRefusal({ PORT: 'http' }), 'PORT must be a port number from 0 to 65535, not "http".');
  });

  test('a missing outside.json stops the start with a message', async () => {
    const directory = join(root, 'empty');
    mkdirSync(directory);
    assert.match(
      await startRefusal({ DATA_DIR: directory }),
      /outside\.json is missing: .*`npm start` one for the simulators/,
    );
  });

  test('an invalid field in outside.json stops the start without its value', async () => {
    const directory = dataDirectory('wrong-outside');
    const outside = buildTestOutside(`http://127.0.0.1:${port}`, 'http://127.0.0.1:1');
    const brokenOutside = { ...outside, sms: { ...outside.sms, url: 'nowhere-secret' } };
    writeFileSync(join(directory, 'outside.json'), JSON.stringify(brokenOutside));
    const refusalText = await startRefusal({ DATA_DIR: directory });
    assert.match(refusalText, /outside\.json is wrong at sms\.url/);
    assert.doesNotMatch(refusalText, /nowhere-secret/);
  });

  test('a data folder that is a file stops the start with a message', async () => {
    const path = join(root, 'file');
    writeFileSync(path, '');
    assert.match(await startRefusal({ DATA_DIR: path }), /is not a folder: set DATA_DIR to another one/);
  });

  test('a used port stops the start with a message, and the database is stopped again', async () => {
    const directory = dataDirectory('taken');
    const holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    try {
      const refusalText = `Port ${port} is already taken: stop what uses it, or set`;
      assert.equal(await startRefusal({ DATA_DIR: directory }), `${refusalText} PORT to another one.`);
      const portEnvironment = { PORT: '0', METRICS_PORT: String(port) };
      assert.equal(
        await startRefusal({ DATA_DIR: directory, ...portEnvironment }),
        `${refusalText} METRICS_PORT to another one.`,
      );
    } finally {
      holder.close();
      await once(holder, 'close');
    }
    const child = await startMain({ DATA_DIR: directory });
    assert.equal(await stopMain(child), 0);
  });

  test('a data folder in use stops the start, and the process that uses it keeps running', async () => {
    const directory = dataDirectory('shared');
    const child = await startMain({ DATA_DIR: directory });
    assert.match(
      await startRefusal({ DATA_DIR: directory, PORT: '0' }),
      /is in use by another running copy .* set DATA_DIR/,
    );
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
    assert.equal(await stopMain(child), 0);
  });

  test('a PostgreSQL that is silent, fails before TLS or lacks the database is reported without a password', async () => {
    const directory = dataDirectory('other-database');
    const silentUrl = `postgresql://krapao:s3cret@127.0.0.1:${await freePort()}/krapao`;
    assert.match(
      await startRefusal({ DATA_DIR: directory, DATABASE_URL: silentUrl }),
      /^No PostgreSQL answers at DATABASE_URL/,
    );
    // Replies to the TLS request with an error, like a server that is out of memory.
    const failingServer = createServer((socket) => socket.once('data', () => socket.end('E')));
    failingServer.listen(0, '127.0.0.1').unref();
    await once(failingServer, 'listening');
    const { port: tlsPort } = failingServer.address() as AddressInfo;
    const tlsUrl = `postgresql://krapao:s3cret@127.0.0.1:${tlsPort}/krapao?sslmode=no-verify`;
    const output = await startRefusal({ DATA_DIR: directory, DATABASE_URL: tlsUrl });
    assert.match(output, /^No PostgreSQL answers at DATABASE_URL \(.*\): check host and port, and that it runs\.$/);
    failingServer.close();
    const fresh = await freshDatabase();
    const missingUrl = fresh.url.replace(/\/[^/]*$/, '/no_such_database');
    const refusalText = await startRefusal({ DATA_DIR: directory, DATABASE_URL: missingUrl });
    assert.match(refusalText, /^The database of DATABASE_URL does not exist: .*no_such_database.* Create it first\.$/);
    const child = await startMain({ DATA_DIR: directory, DATABASE_URL: fresh.url });
    assert.equal(await stopMain(child), 0);
    await fresh.dropDatabase();
  });

  test('a database written with another encryption key is refused, even one older than the check value', async () => {
    const fresh = await freshDatabase();
    const ownEnvironment = { DATA_DIR: dataDirectory('own-key'), DATABASE_URL: fresh.url };
    const otherEnvironment = { ...ownEnvironment, DATA_DIR: dataDirectory('other-key') };
    const key = Buffer.alloc(32, 4).toString('base64');
    writeFileSync(join(root, 'other-key', 'secrets.json'), JSON.stringify({ encryptionKey: key }));
    assert.equal(await stopMain(await startMain(ownEnvironment)), 0);
    assert.match(await startRefusal(otherEnvironment), /^This database was written with another encryption key\./);
    await fresh.database.query('delete from encryption_check');
    const seedId = '01900000-0000-7000-8000-000000000001';
    const sealedSecret = createSecretBox(Buffer.alloc(32, 3)).seal('seed', seedId);
    await fresh.database.query(
      `insert into spinwheel_seed (id, member_id, state, commitment, sealed_seed, client_seed)
       values ($1, $2, 'NEXT', 'c', $3, 's')`,
      [seedId, await insertPlainMember(fresh.database), sealedSecret],
    );
    assert.match(await startRefusal(otherEnvironment), /^This database was written with another encryption key/);
    assert.equal(await stopMain(await startMain(ownEnvironment)), 0);
    await fresh.dropDatabase();
  });
});

describe('the end of the server', () => {
  test('SIGTERM drains: not ready while calls succeed, then the port closes; a second one stops the server immediately', async () => {
    const url = `http://127.0.0.1:${port}`;
    const directory = dataDirectory('draining');
    for (const { drainMs, isInquiryRequested } of [
      { drainMs: 60_000, isInquiryRequested: true },
      { drainMs: 300, isInquiryRequested: false },
    ]) {
      const child = await startMain({ DATA_DIR: directory, DRAIN_MS: String(drainMs) });
      assert.equal((await fetch(`${url}/health/ready`)).status, 200);
      const exitCode = stopMain(child);
      if (isInquiryRequested) {
        let readyReply = await fetch(`${url}/health/ready`);
        while (readyReply.status === 200) readyReply = await fetch(`${url}/health/ready`);
        assert.deepEqual([readyReply.status, await readyReply.json()], [404, { status: 'stopping' }]);
        assert.equal((await fetch(`${url}/api/lookup/info`)).status, 200);
        child.kill('SIGTERM');
      }
      await waitUntilClosed();
      assert.equal(await exitCode, 0);
    }
  });

  test('a request in progress ends before the server does, and idle connections do not delay the stop', async () => {
    const child = await startMain({ DATA_DIR: dataDirectory('graceful') });
    const url = `http://127.0.0.1:${port}`;
    // Ten keep-alive connections that stay open.
    await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/health/live`).then((reply) => reply.text())));
    const socket = connect(port, '127.0.0.1');
    let receivedText = '';
    socket.setEncoding('utf8').on('data', (text: string) => (receivedText += text));
    const body = JSON.stringify({ username: '0800000001', password: 'not the password' });
    // "100 Continue" shows that the request is in flight.
    socket.write(
      `POST /api/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
        'expect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const exitCode = stopMain(child);
    await waitUntilClosed();
    socket.write(body);
    // Waiting for the timeout would have set exit code 1.
    assert.equal(await exitCode, 0);
    assert.match(receivedText, /HTTP\/1\.1 401 /);
  });
});
