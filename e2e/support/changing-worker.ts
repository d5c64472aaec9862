import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appUrl } from './member.ts';

const WORKER_PATH = '/service-worker.js';

/** The app at another address, whose service worker can change as if a new build were released. */
export class ChangingWorker {
  /** Number of requests for the service worker. */
  workerRequests = 0;
  private release = 0;
  private readonly server: Server = createServer((incoming, reply) => this.forward(incoming, reply));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on the service worker is that of another build. */
  releaseBuild(): void {
    this.release += 1;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private forward(incoming: IncomingMessage, reply: ServerResponse): void {
    const isWorker = incoming.url === WORKER_PATH;
    const { host } = new URL(appUrl());
    const headers = { ...incoming.headers, host, ...(isWorker && { 'accept-encoding': 'identity' }) };
    // The reply must be the whole worker, not "unchanged".
    for (const name of ['if-none-match', 'if-modified-since'] as const) delete headers[name];
    if (isWorker) this.workerRequests += 1;
    const suffix = isWorker ? `\n// build ${this.release}` : '';
    const outgoing = request(new URL(incoming.url ?? '/', appUrl()), { method: incoming.method, headers }, (answer) => {
      const replyHeaders = { ...answer.headers };
      // Otherwise the browser compares the build by its headers only.
      if (isWorker) for (const name of ['content-length', 'etag', 'last-modified'] as const) delete replyHeaders[name];
      reply.writeHead(answer.statusCode ?? 502, replyHeaders);
      answer.pipe(reply, { end: false });
      answer.on('end', () => reply.end(suffix));
    });
    outgoing.on('error', () => reply.destroy());
    incoming.pipe(outgoing);
  }
}
