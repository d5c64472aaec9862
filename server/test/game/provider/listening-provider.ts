import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type GameConfigs, gameProviders } from '../../../src/adapters/game/index.ts';
import type { GameProvider } from '../../../src/adapters/game/port.ts';
import { type Clock, systemClock } from '../../../src/platform/time.ts';

export type ReceivedCall = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
/** Replies to a call; `json` is sent unchanged. */
export type ReplyFunction = (received: ReceivedCall) => ProviderReply | Promise<ProviderReply>;
type ProviderReply = { status?: number; json: unknown };

/**
 * Creates the adapter of a provider, connected to a server that records calls and returns the test's replies.
 * @param config its section of outside.json, without its address
 */
export async function startListeningProvider<K extends string>(
  config: { kind: K } & Record<string, unknown>,
  replyTo: ReplyFunction,
  timeoutMs = 5_000,
  clock: Clock = systemClock,
): Promise<{ provider: GameProvider; url: string; receivedCalls: ReceivedCall[]; stop: () => Promise<void> }> {
  const received: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const receivedCall = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      received.push(receivedCall);
      const { status = 200, json } = await replyTo(receivedCall);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gameConfigs = { one: { ...config, url, timeoutMs } } as unknown as GameConfigs;
  const provider = gameProviders(gameConfigs, undefined, clock).get('one');
  if (!provider) throw new Error('there is no such kind');
  return {
    provider,
    url,
    receivedCalls: received,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
