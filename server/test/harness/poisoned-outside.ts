import { createServer, type IncomingMessage, request as call, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outside } from '../../src/outside-config.ts';

/** A proxy between the server and its counterparties that puts values of the test into replies. */
export type PoisonedOutside = {
  /** For `startSystem`: the server calls the counterparties through here. */
  outside: (outside: Outside) => Outside;
  /** From now on every field of one of these names gets another value in each answer; none with an empty list. */
  poison(fields: readonly string[], value: () => unknown): void;
  /** How many values were replaced so far. */
  replaced(): number;
  close(): Promise<void>;
};

export async function startPoisonedOutside(): Promise<PoisonedOutside> {
  let target = '';
  let fields: ReadonlySet<string> = new Set();
  let valueOf: () => unknown = () => '';
  let replaced = 0;

  const poisoned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poisoned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (!fields.has(key) || typeof part === 'object') return [key, poisoned(part)];
        replaced += 1;
        return [key, valueOf()];
      }),
    );
  };

  const server = createServer((incoming, response) => {
    incoming.on('error', () => {});
    const { hostname, port } = new URL(target);
    const outgoing = call(
      { hostname, port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => void relay(answer, response).catch(() => response.destroy()),
    );
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });

  async function relay(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const type = answer.headers['content-type'] ?? '';
    const isJson = fields.size > 0 && type.includes('json');
    const body = isJson ? Buffer.from(JSON.stringify(poisoned(JSON.parse(text.toString())))) : text;
    response.writeHead(answer.statusCode ?? 500, { 'content-type': type });
    response.end(body);
  }

  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    outside: (outside) => {
      target = new URL(outside.bank.url).origin;
      return JSON.parse(JSON.stringify(outside).replaceAll(`"${target}/`, `"${url}/`)) as Outside;
    },
    poison: (names, value) => {
      fields = new Set(names);
      valueOf = value;
    },
    replaced: () => replaced,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
