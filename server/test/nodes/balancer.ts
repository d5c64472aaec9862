import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../harness/api-client.ts';

const CHECK_EVERY_MS = 200;
const CHECK_LIMIT_MS = 2_000;
/** Checks that fail before a node gets no more connections. */
const FALL = 2;

export type Balancer = {
  url: string;
  /** From now on this node is checked, and gets connections while it is ready. */
  add(nodeUrl: string): void;
  /** A node that was stopped is checked no more. */
  remove(nodeUrl: string): void;
  /** Nodes that get connections. */
  ready(): string[];
  close(): Promise<void>;
};

type Backend = { url: string; isUp: boolean; failures: number; open: number };

/**
 * A balancer as `deploy/haproxy/haproxy.cfg` describes it: it asks `/health/ready`, gives each connection to the node with the
 * fewest, and to another one only while nothing has been sent.
 */
export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = [];
  const sockets = new Set<Socket>();
  const stop = new AbortController();
  const door = createServer((client) => {
    client.on('error', () => {});
    keep(client);
    void give(client, new Set());
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const give = async (client: Socket, refused: Set<Backend>): Promise<void> => {
    const [backend] = backends.filter((one) => one.isUp && !refused.has(one)).toSorted((a, b) => a.open - b.open);
    if (!backend || client.destroyed) return void client.destroy();
    backend.open += 1;
    const node = connect(Number(new URL(backend.url).port), '127.0.0.1');
    keep(node);
    node.once('close', () => (backend.open -= 1));
    try {
      await once(node, 'connect');
    } catch {
      return give(client, refused.add(backend));
    }
    node.on('error', () => client.destroy());
    node.once('close', () => client.destroy());
    client.once('close', () => node.destroy());
    client.pipe(node).pipe(client);
  };
  const check = async (backend: Backend): Promise<void> => {
    while (!stop.signal.aborted && backends.includes(backend)) {
      const isReady = await fetch(`${backend.url}/health/ready`, { signal: AbortSignal.timeout(CHECK_LIMIT_MS) }).then(
        async (reply) => (await reply.text()) !== '' && reply.ok,
        () => false,
      );
      backend.failures = isReady ? 0 : backend.failures + 1;
      backend.isUp = isReady || (backend.isUp && backend.failures < FALL);
      await wait(CHECK_EVERY_MS);
    }
  };
  const checks: Promise<void>[] = [];
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    add(url) {
      const backend = { url, isUp: false, failures: 0, open: 0 };
      backends.push(backend);
      checks.push(check(backend));
    },
    remove(url) {
      backends.splice(0, backends.length, ...backends.filter((one) => one.url !== url));
    },
    ready: () => backends.filter(({ isUp }) => isUp).map(({ url }) => url),
    async close() {
      stop.abort();
      await Promise.all(checks);
      for (const socket of sockets) socket.destroy();
      door.close();
    },
  };
}

/** Calls the API on a connection for each call, so that the balancer chooses a node for each. */
export function callByCall(url: string): Api {
  return async (call, options = {}) => {
    const [method, path = '/'] = call.split(' ');
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.params?.[name] ?? ''));
    const sent = request(url + filled, {
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
    sent.end(options.body === undefined ? undefined : JSON.stringify(options.body));
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of reply.setEncoding('utf8')) text += String(chunk);
    return { status: reply.statusCode ?? 0, headers: new Headers(reply.headers as never), body: JSON.parse(text) };
  };
}
