import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { callOutside, OutboundFailure, type OutboundRequest } from '../../../src/platform/http/outbound.ts';
import { newCertificateAuthority, selfSignedCertificate } from '../../harness/certificates.ts';
import { freePort } from '../../harness/free-port.ts';

const MEGABYTE_BYTES = 1024 * 1024;
/** Timeouts for a counterparty that is silent on purpose, and for one that replies. */
const SHORT_MS = 300;
const LONG_MS = 30_000;

let server: Server;
let url = '';
/** The last received request. */
let received: { request: IncomingMessage; body: string };

/** Servers opened by tests. */
const tcpServers: TcpServer[] = [];

const REPLIES_BY_PATH: Record<string, (reply: ServerResponse) => void> = {
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
  '/long': (reply) => reply.end('x'.repeat(4 * MEGABYTE_BYTES + 1)),
};

before(async () => {
  server = createServer((request, reply) => {
    const bodyChunks: Buffer[] = [];
    request.on('data', (bodyChunk: Buffer) => bodyChunks.push(bodyChunk));
    request.on('end', () => {
      received = { request, body: Buffer.concat(bodyChunks).toString() };
      REPLIES_BY_PATH[request.url ?? '']?.(reply);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  for (const tcpServer of [server, ...tcpServers]) tcpServer.close();
});

const callServer = (path: string, overrides: Partial<OutboundRequest> = {}) =>
  callOutside({ method: 'GET', url: `${url}${path}`, timeoutMs: LONG_MS, ...overrides });

const failureOf = async (path: string, overrides: Partial<OutboundRequest> = {}): Promise<string> => {
  try {
    await callServer(path, overrides);
  } catch (error) {
    assert.ok(error instanceof OutboundFailure, String(error));
    return error.outcome;
  }
  return 'answered';
};

async function httpsUrlOf(tcpServer: TcpServer): Promise<string> {
  tcpServers.push(tcpServer);
  if (!tcpServer.listening) await once(tcpServer, 'listening');
  return `https://127.0.0.1:${(tcpServer.address() as AddressInfo).port}/`;
}

describe('a call to a counterparty', { timeout: 120_000 }, () => {
  test('an outbound call sends the exact bytes and returns the reply, whatever its status', async () => {
    const body = '{"amount":"1.50","to":"ລາວ"}';
    const validReply = await callServer('/good', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.deepEqual(validReply, { status: 200, text: '{"name":"กระเป๋า"}' });
    assert.equal(received.body, body);
    assert.equal(received.request.headers['content-type'], 'application/json');
    assert.equal(received.request.headers['accept-encoding'], 'identity');
    assert.deepEqual(await callServer('/refused'), { status: 503, text: 'closed' });
  });

  test('an outbound call follows no redirect, because it is signed for one address', async () => {
    assert.equal((await callServer('/moved')).status, 302);
    assert.equal(received.request.url, '/moved');
  });

  test('a late, partial, interrupted or too long reply proves nothing about an outbound call', async () => {
    assert.equal(await failureOf('/silent', { timeoutMs: SHORT_MS }), 'unknown');
    assert.equal(await failureOf('/half', { timeoutMs: SHORT_MS }), 'unknown');
    assert.equal(await failureOf('/broken'), 'unknown');
    assert.equal(await failureOf('/cut'), 'unknown');
    assert.equal(await failureOf('/long'), 'unknown');
    // None of these failures affects the next call.
    assert.equal((await callServer('/good')).status, 200);
  });

  test('a refused connection or unknown host proves that an outbound call had no effect', async () => {
    assert.equal(await failureOf('', { url: `http://127.0.0.1:${await freePort()}/` }), 'unsent');
    assert.equal(await failureOf('', { url: 'http://nobody.invalid/' }), 'unsent');
  });

  test('a failed TLS handshake proves that an outbound call had no effect', async () => {
    let received = 0;
    for (const certificate of [selfSignedCertificate(), newCertificateAuthority().issue()]) {
      const tlsServer = createTlsServer(certificate, (socket) => socket.on('data', () => (received += 1))).listen(
        0,
        '127.0.0.1',
      );
      tlsServer.on('tlsClientError', () => {});
      assert.equal(await failureOf('', { url: await httpsUrlOf(tlsServer), method: 'POST', body: 'x' }), 'unsent');
    }
    assert.equal(received, 0);
    // A server without TLS, and one that closes the connection during the handshake.
    assert.equal(await failureOf('', { url: url.replace('http:', 'https:') }), 'unsent');
    const closingServer = createTcpServer((socket) => socket.once('data', () => socket.destroy())).listen(
      0,
      '127.0.0.1',
    );
    assert.equal(await failureOf('', { url: await httpsUrlOf(closingServer) }), 'unsent');
  });

  test('a TLS connection that breaks after the request proves nothing', async () => {
    const certificateAuthority = newCertificateAuthority();
    const trustedCertificates = getCACertificates('default');
    setDefaultCACertificates([...trustedCertificates, certificateAuthority.cert]);
    let connections = 0;
    const tlsServer = createTlsServer(certificateAuthority.issue(), (socket) => {
      connections += 1;
      socket.on('error', () => {}).once('data', () => socket.destroy());
    });
    tlsServer.listen(0, '127.0.0.1');
    assert.equal(await failureOf('', { url: await httpsUrlOf(tlsServer), method: 'POST', body: 'x' }), 'unknown');
    assert.equal(connections, 1, 'and it is not sent again');
    setDefaultCACertificates(trustedCertificates);
  });
});
