import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type DatabaseLine = {
  /** Address of the same database through the line. */
  url: string;
  /** From now on nothing is forwarded and nothing closed, as if a network dropped every packet. */
  freeze(): void;
  /** The same for the connections that are open now; new ones work. */
  freezeOpen(): void;
  /** The same for the answers alone: what is sent still arrives. */
  freezeAnswers(): void;
  /** Forwards what was held back. */
  thaw(): void;
  /** Ends every connection and refuses new ones until `thaw`. */
  cut(): void;
  /** New connections lead to another server from now on. */
  lead(databaseUrl: string): void;
  close(): void;
};

type Pair = { client: Socket; server: Socket };

/** A TCP line to a database whose address is a Unix socket or a host. */
export async function databaseLine(databaseUrl: string): Promise<DatabaseLine> {
  let target = databaseUrl;
  const pairs = new Set<Pair>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const end = ({ client, server }: Pair): void => {
    client.destroy();
    server.destroy();
  };
  const stall = ({ client, server }: Pair): void => {
    client.unpipe().pause();
    server.unpipe().pause();
  };
  // A connection opened after `freezeOpen` has a pipe already; a second one would send all bytes twice.
  const flow = ({ client, server }: Pair): void => {
    client.unpipe(server).pipe(server);
    server.unpipe(client).pipe(client);
  };
  const door = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const server = connectTo(target);
    const pair = { client, server };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.on('error', () => end(pair));
      socket.on('close', () => {
        // A frozen connection shows neither side that the other is gone.
        if (state === 'frozen') return;
        end(pair);
        pairs.delete(pair);
      });
    }
    if (state === 'open') flow(pair);
    else stall(pair);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(door.address() as AddressInfo).port}`;
  return {
    url: url.href,
    freeze() {
      state = 'frozen';
      for (const pair of pairs) stall(pair);
    },
    freezeOpen() {
      for (const pair of pairs) stall(pair);
    },
    freezeAnswers() {
      for (const { server } of pairs) server.unpipe().pause();
    },
    thaw() {
      state = 'open';
      for (const pair of pairs) {
        if (pair.client.destroyed || pair.server.destroyed) end(pair);
        else flow(pair);
      }
    },
    cut() {
      state = 'cut';
      for (const pair of pairs) end(pair);
    },
    lead(otherUrl) {
      target = otherUrl;
    },
    close() {
      for (const pair of pairs) end(pair);
      door.close();
    },
  };
}

function connectTo(databaseUrl: string): Socket {
  const { hostname, port } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port || 5432}`) : connect(Number(port || 5432), host);
}
