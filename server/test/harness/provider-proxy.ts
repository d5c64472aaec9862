import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Outside } from '../../src/outside-config.ts';
import { freePort } from './free-port.ts';

type ProxyMode =
  | 'pass'
  | 'drop before passing on'
  | 'drop the answer'
  | 'bring balances late'
  | 'leave checks without an answer';

/** Paths of `pg` that each mode affects. */
const AFFECTED_PATHS: Readonly<Record<Exclude<ProxyMode, 'pass'>, string>> = {
  'drop before passing on': '/Cash/v3/Transfer',
  'drop the answer': '/Cash/v3/Transfer',
  'bring balances late': '/Cash/v3/GetPlayerWallet',
  'leave checks without an answer': '/Cash/v3/GetSingleTransaction',
};
const LATE_MS = 250;

/** A proxy between the server and the provider `pg` that breaks calls at a chosen point. */
export class ProviderProxy {
  proxyMode: ProxyMode = 'pass';
  target = '';
  /** The port stays the same after a cut: another process could get a port assigned by the system. */
  #port: number | undefined;
  #server: Server | undefined;

  async open(): Promise<string> {
    const server = createServer((incomingRequest, reply) => {
      const isMeant = this.proxyMode !== 'pass' && incomingRequest.url?.includes(AFFECTED_PATHS[this.proxyMode]);
      const proxyMode = isMeant ? this.proxyMode : 'pass';
      if (proxyMode === 'leave checks without an answer') return;
      if (proxyMode === 'drop before passing on') return void incomingRequest.socket.destroy();
      const outgoingRequest = request(
        this.target + incomingRequest.url,
        { method: incomingRequest.method, headers: incomingRequest.headers },
        (upstreamReply) => {
          if (proxyMode === 'drop the answer')
            return void upstreamReply.resume().on('end', () => incomingRequest.socket.destroy());
          const passOn = () => {
            reply.writeHead(upstreamReply.statusCode ?? 502, upstreamReply.headers);
            upstreamReply.pipe(reply);
          };
          if (proxyMode === 'bring balances late') setTimeout(passOn, LATE_MS);
          else passOn();
        },
      );
      outgoingRequest.on('error', () => incomingRequest.socket.destroy());
      incomingRequest.pipe(outgoingRequest);
    });
    // No timeout closes a connection: a call could be in flight at that moment.
    server.keepAliveTimeout = 0;
    this.#port ??= await freePort();
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Aborts all calls in flight. */
  breakConnections(): void {
    this.#server?.closeAllConnections();
  }

  async cutConnections(): Promise<void> {
    const serverClosed = new Promise((resolve) => this.#server?.close(resolve));
    this.breakConnections();
    await serverClosed;
  }
}

/** For `startSystem`: the provider is reached by the line alone. */
export async function routeProviderThroughProxy(
  name: 'pg',
  proxy: ProviderProxy,
): Promise<(outside: Outside) => Outside> {
  const url = await proxy.open();
  return (outside) => {
    const config = outside.games[name];
    assert.ok(config);
    proxy.target = config.url;
    return { ...outside, games: { ...outside.games, [name]: { ...config, url } } };
  };
}
