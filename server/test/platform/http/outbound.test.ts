import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { callOutside, OutboundFailure, type OutboundRequest } from '../../../src/platform/http/outbound.ts';
import { newAuthority, selfSigned } from '../../harness/certificates.ts';
import { freePort } from '../../harness/free-port.ts';

const MEGABYTE = 1024 * 1024;
/** What the call may take where the other side is silent on purpose, and where it isn't. */
const SHORT_MS = 300;
const LONG_MS = 30_000;

let server: Server;
let url = '';
/** What was received last. */
let received: { request: IncomingMessage; body: string };

/** Others that tests have opened. */
const doors: TcpServer[] = [];

const ANSWERS: Record<string, (reply: ServerResponse) => void> = {
  '/good': (reply) => reply.end('{"name":"กระเป๋า"}'),
  '/refused': (reply) => reply.writeHead(503).end('closed'),
  '/moved': (reply) => reply.writeHead(302, { location: '/good' }).end(),
  '/silent': () => {},
  '/half': (reply) => void reply.writeHead(200, { 'content-length': 100 }).write('half'),
  '/broken': (reply) => {
    reply.writeHead(200, { 'content-length': 100 });
    reply.write('half', () => reply.destroy());
  },
  '/cut': (reply) => reply.destroy(),
  '/long': (reply) => reply.end('x'.repeat(4 * MEGABYTE + 1)),
};

before(async () => {
  server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received = { request, body: Buffer.concat(parts).toString() };
      ANSWERS[request.url ?? '']?.(reply);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  for (const door of [server, ...doors]) door.close();
});

const call = (path: string, more: Partial<OutboundRequest> = {}) =>
  callOutside({ method: 'GET', url: `${url}${path}`, timeoutMs: LONG_MS, ...more });

const failing = async (path: string, more: Partial<OutboundRequest> = {}): Promise<string> => {
  try {
    await call(path, more);
  } catch (error) {
    assert.ok(error instanceof OutboundFailure, String(error));
    return error.outcome;
  }
  return 'answered';
};

async function secureUrl(door: TcpServer): Promise<string> {
  doors.push(door);
  if (!door.listening) await once(door, 'listening');
  return `https://127.0.0.1:${(door.address() as AddressInfo).port}/`;
}

describe('a call to the outside', { timeout: 120_000 }, () => {
  test('sends the exact bytes and gives back what was answered, whatever its status', async () => {
    const body = '{"amount":"1.50","to":"ລາວ"}';
    const good = await call('/good', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    assert.deepEqual(good, { status: 200, text: '{"name":"กระเป๋า"}' });
    assert.equal(received.body, body);
    assert.equal(received.request.headers['content-type'], 'application/json');
    assert.equal(received.request.headers['accept-encoding'], 'identity');
    assert.deepEqual(await call('/refused'), { status: 503, text: 'closed' });
  });

  test('follows no redirect: what is signed for one address goes to no other', async () => {
    assert.equal((await call('/moved')).status, 302);
    assert.equal(received.request.url, '/moved');
  });

  test('proves nothing when the answer is late, half, broken off, cut or longer than is read', async () => {
    assert.equal(await failing('/silent', { timeoutMs: SHORT_MS }), 'unknown');
    assert.equal(await failing('/half', { timeoutMs: SHORT_MS }), 'unknown');
    assert.equal(await failing('/broken'), 'unknown');
    assert.equal(await failing('/cut'), 'unknown');
    assert.equal(await failing('/long'), 'unknown');
    // None of them keeps the next from being answered.
    assert.equal((await call('/good')).status, 200);
  });

  test('is known to have done nothing when the connection is refused or the host is unknown', async () => {
    assert.equal(await failing('', { url: `http://127.0.0.1:${await freePort()}/` }), 'unsent');
    assert.equal(await failing('', { url: 'http://nobody.invalid/' }), 'unsent');
  });

  test('is known to have done nothing when no secure connection came about', async () => {
    let received = 0;
    for (const certificate of [selfSigned(), newAuthority().issue()]) {
      const door = createTlsServer(certificate, (socket) => socket.on('data', () => (received += 1))).listen(
        0,
        '127.0.0.1',
      );
      door.on('tlsClientError', () => {});
      assert.equal(await failing('', { url: await secureUrl(door), method: 'POST', body: 'x' }), 'unsent');
    }
    assert.equal(received, 0);
    // One that doesn't speak TLS, and one that hangs up in the middle of its greeting.
    assert.equal(await failing('', { url: url.replace('http:', 'https:') }), 'unsent');
    const rude = createTcpServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    assert.equal(await failing('', { url: await secureUrl(rude) }), 'unsent');
  });

  test('proves nothing when a secure connection breaks after the call went out', async () => {
    const authority = newAuthority();
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, authority.cert]);
    let connections = 0;
    const door = createTlsServer(authority.issue(), (socket) => {
      connections += 1;
      socket.on('error', () => {}).once('data', () => socket.destroy());
    });
    door.listen(0, '127.0.0.1');
    assert.equal(await failing('', { url: await secureUrl(door), method: 'POST', body: 'x' }), 'unknown');
    assert.equal(connections, 1, 'and it is not sent again');
    setDefaultCACertificates(trusted);
  });
});
