import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type DatabaseProxy = {
  /** Address of the same database through the line. */
  url: string;
  /** From now on nothing is forwarded and nothing is closed, as if the network dropped every packet. */
  freeze(): void;
  /** Freezes only the current connections; new connections work. */
  freezeOpenConnections(): void;
  /** Freezes only the replies: requests still arrive. */
  freezeReplies(): void;
  /** Forwards the held-back bytes. */
  thaw(): void;
  /** Ends every connection and refuses new ones until `thaw`. */
  cutConnections(): void;
  /** New connections lead to another server from now on. */
  leadTo(databaseUrl: string): void;
  close(): void;
};

type SocketPair = { client: Socket; server: Socket };

/** Starts a TCP proxy to a database on a Unix socket or a host. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = databaseUrl;
  const pairs = new Set<SocketPair>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const closePair = ({ client, server }: SocketPair): void => {
    client.destroy();
    server.destroy();
  };
  const pausePair = ({ client, server }: SocketPair): void => {
    client.unpipe().pause();
    server.unpipe().pause();
  };
  // A connection opened after `freezeOpenConnections` has a pipe already; a second one would send all bytes twice.
  const resumePair = ({ client, server }: SocketPair): void => {
    client.unpipe(server).pipe(server);
    server.unpipe(client).pipe(client);
  };
  const proxyServer = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const server = openProxySocket(target);
    const pair = { client, server };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.on('error', () => closePair(pair));
      socket.on('close', () => {
        // A frozen connection hides the end of either side.
        if (state === 'frozen') return;
        closePair(pair);
        pairs.delete(pair);
      });
    }
    if (state === 'open') resumePair(pair);
    else pausePair(pair);
  });
  proxyServer.listen(0, '127.0.0.1');
  await once(proxyServer, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(proxyServer.address() as AddressInfo).port}`;
  return {
    url: url.href,
    freeze() {
      state = 'frozen';
      for (const pair of pairs) pausePair(pair);
    },
    freezeOpenConnections() {
      for (const pair of pairs) pausePair(pair);
    },
    freezeReplies() {
      for (const { server } of pairs) server.unpipe().pause();
    },
    thaw() {
      state = 'open';
      for (const pair of pairs) {
        if (pair.client.destroyed || pair.server.destroyed) closePair(pair);
        else resumePair(pair);
      }
    },
    cutConnections() {
      state = 'cut';
      for (const pair of pairs) closePair(pair);
    },
    leadTo(otherUrl) {
      target = otherUrl;
    },
    close() {
      for (const pair of pairs) closePair(pair);
      proxyServer.close();
    },
  };
}

function openProxySocket(databaseUrl: string): Socket {
  const { hostname, port } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port || 5432}`) : connect(Number(port || 5432), host);
}
