import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../harness/api-client.ts';

const CHECK_EVERY_MS = 200;
const CHECK_LIMIT_MS = 2_000;
/** Failed checks until a node gets no more connections. */
const FAILURES_UNTIL_DOWN = 2;

export type LoadBalancer = {
  url: string;
  /** Starts checking this node, which gets connections while it is ready. */
  addNode(nodeUrl: string): void;
  /** Stops checking a node. */
  removeNode(nodeUrl: string): void;
  /** Addresses of the nodes that get connections. */
  readyNodes(): string[];
  close(): Promise<void>;
};

type Backend = { url: string; isUp: boolean; failures: number; open: number };

/**
 * A load balancer like `deploy/haproxy/haproxy.cfg`: it checks `/health/ready`, gives each connection to the node with
 * the fewest, and retries another node only while nothing has been sent.
 */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const backends: Backend[] = [];
  const openSockets = new Set<Socket>();
  const abortController = new AbortController();
  const proxyServer = createServer((client) => {
    client.on('error', () => {});
    trackSocket(client);
    void connectToBackend(client, new Set());
  });
  const trackSocket = (socket: Socket): void => {
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
  };
  const connectToBackend = async (client: Socket, refusedBackends: Set<Backend>): Promise<void> => {
    const [backend] = backends
      .filter((backend) => backend.isUp && !refusedBackends.has(backend))
      .toSorted((a, b) => a.open - b.open);
    if (!backend || client.destroyed) return void client.destroy();
    backend.open += 1;
    const node = connect(Number(new URL(backend.url).port), '127.0.0.1');
    trackSocket(node);
    node.once('close', () => (backend.open -= 1));
    try {
      await once(node, 'connect');
    } catch {
      return connectToBackend(client, refusedBackends.add(backend));
    }
    node.on('error', () => client.destroy());
    node.once('close', () => client.destroy());
    client.once('close', () => node.destroy());
    client.pipe(node).pipe(client);
  };
  const checkBackend = async (backend: Backend): Promise<void> => {
    while (!abortController.signal.aborted && backends.includes(backend)) {
      const isReady = await fetch(`${backend.url}/health/ready`, { signal: AbortSignal.timeout(CHECK_LIMIT_MS) }).then(
        async (reply) => (await reply.text()) !== '' && reply.ok,
        () => false,
      );
      backend.failures = isReady ? 0 : backend.failures + 1;
      backend.isUp = isReady || (backend.isUp && backend.failures < FAILURES_UNTIL_DOWN);
      await wait(CHECK_EVERY_MS);
    }
  };
  const runningChecks: Promise<void>[] = [];
  proxyServer.listen(0, '127.0.0.1');
  await once(proxyServer, 'listening');
  return {
    url: `http://127.0.0.1:${(proxyServer.address() as AddressInfo).port}`,
    addNode(url) {
      const backend = { url, isUp: false, failures: 0, open: 0 };
      backends.push(backend);
      runningChecks.push(checkBackend(backend));
    },
    removeNode(url) {
      backends.splice(0, backends.length, ...backends.filter((backend) => backend.url !== url));
    },
    readyNodes: () => backends.filter(({ isUp }) => isUp).map(({ url }) => url),
    async close() {
      abortController.abort();
      await Promise.all(runningChecks);
      for (const socket of openSockets) socket.destroy();
      proxyServer.close();
    },
  };
}

/** Opens a connection for each API call, so that the load balancer chooses a node for each. */
export function apiWithoutKeepAlive(url: string): Api {
  return async (call, options = {}) => {
    const [method, path = '/'] = call.split(' ');
    const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(options.params?.[name] ?? ''),
    );
    const clientRequest = request(url + filledPath, {
      method,
      agent: false,
      headers: {
        'x-requested-with': 'XMLHttpRequest',
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
        ...options.headers,
      },
    });
    clientRequest.end(options.body === undefined ? undefined : JSON.stringify(options.body));
    const [reply] = (await once(clientRequest, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of reply.setEncoding('utf8')) text += String(chunk);
    return { status: reply.statusCode ?? 0, headers: new Headers(reply.headers as never), body: JSON.parse(text) };
  };
}
