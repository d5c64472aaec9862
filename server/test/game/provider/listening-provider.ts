import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Clock, systemClock } from '../../../src/platform/time.ts';
import { type GameConfigs, gameProviders } from '../../../src/adapters/game/index.ts';
import type { GameProvider } from '../../../src/adapters/game/port.ts';

export type ReceivedCall = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
/** Replies to a call; `json` is sent unchanged. */
export type ReplyFunction = (received: ReceivedCall) => Reply | Promise<Reply>;
type Reply = { status?: number; json: unknown };

/**
 * The adapter of a provider of this kind, connected to a server that records calls and replies as the test decides.
 * @param config its section of outside.json, without its address
 */
export async function listeningProvider<K extends string>(
  config: { kind: K } & Record<string, unknown>,
  answering: ReplyFunction,
  timeoutMs = 5_000,
  clock: Clock = systemClock,
): Promise<{ provider: GameProvider; url: string; received: ReceivedCall[]; stop: () => Promise<void> }> {
  const received: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      received.push(one);
      const { status = 200, json } = await answering(one);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configs = { one: { ...config, url, timeoutMs } } as unknown as GameConfigs;
  const provider = gameProviders(configs, undefined, clock).get('one');
  if (!provider) throw new Error('there is no such kind');
  return {
    provider,
    url,
    received,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
