import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { appUrl } from './member.ts';

/** Appended to the key of a WebSocket handshake before hashing (RFC 6455). */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** `refused`: with 403, as firewalls do. `silent`: opened, but no data is forwarded. */
export type WebSocketFault = 'refused' | 'silent';

type Addition = { before: string; after: string };

/** The app at another address, behind a proxy that forwards requests, but no WebSockets. */
export class AppProxy {
  private readonly server: Server = createServer((incoming, reply) => this.forward(incoming, reply));

  constructor(fault: WebSocketFault = 'refused') {
    this.server.on('upgrade', ({ headers }: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      if (fault === 'refused') return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      const accept = createHash('sha1')
        .update((headers['sec-websocket-key'] ?? '') + ACCEPT_SUFFIX)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.resume();
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Text to add to the file of this path. */
  protected additionTo(_path: string): Addition | undefined {
    return undefined;
  }

  private forward(incoming: IncomingMessage, reply: ServerResponse): void {
    const path = incoming.url ?? '/';
    const addition = this.additionTo(path);
    const headers = { ...incoming.headers, ...(addition && { 'accept-encoding': 'identity' }) };
    // The reply must be the whole file, not "unchanged".
    for (const name of ['if-none-match', 'if-modified-since'] as const) delete headers[name];
    const outgoing = request(new URL(path, appUrl()), { method: incoming.method, headers }, (answer) => {
      const replyHeaders = { ...answer.headers };
      // Otherwise the browser compares the file by its headers only.
      if (addition) for (const name of ['content-length', 'etag', 'last-modified'] as const) delete replyHeaders[name];
      reply.writeHead(answer.statusCode ?? 502, replyHeaders);
      reply.write(addition?.before ?? '');
      answer.pipe(reply, { end: false });
      answer.on('end', () => reply.end(addition?.after));
    });
    outgoing.on('error', () => reply.destroy());
    reply.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
