import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Outside } from '../../src/outside-config.ts';

/** A proxy before the simulators that leaves chosen calls without a reply. */
export class SilentProxy {
  /** Whether a call to this path gets no reply. */
  isSilent: (path: string) => boolean = () => false;
  /** Paths of the calls that got no reply, in order of arrival. */
  readonly unanswered: string[] = [];
  url = '';
  #target = '';
  #server: Server | undefined;

  /** For `startSystem`: the chosen counterparties are reached through the proxy. */
  async open(...parts: readonly ('kbank' | 'push' | 'pg')[]): Promise<(outside: Outside) => Outside> {
    const server = createServer((incoming, reply) => {
      const path = incoming.url ?? '';
      if (this.isSilent(path)) return void this.unanswered.push(path);
      const outgoing = request(
        this.#target + path,
        { method: incoming.method, headers: incoming.headers },
        (upstream) => {
          reply.writeHead(upstream.statusCode ?? 502, upstream.headers);
          upstream.pipe(reply);
        },
      );
      outgoing.on('error', () => incoming.socket.destroy());
      incoming.pipe(outgoing);
    });
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    const { port } = server.address() as { port: number };
    this.url = `http://127.0.0.1:${port}`;
    const routed = (url: string): string => {
      this.#target = new URL(url).origin;
      return url.replace(this.#target, this.url);
    };
    return (outside) => {
      const { kbank, push, games } = outside;
      const { pg } = games;
      return {
        ...outside,
        ...(parts.includes('kbank') && kbank && { kbank: { ...kbank, url: routed(kbank.url) } }),
        ...(parts.includes('push') && push && { push: { ...push, url: routed(push.url) } }),
        ...(parts.includes('pg') && pg && { games: { ...games, pg: { ...pg, url: routed(pg.url) } } }),
      };
    };
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
