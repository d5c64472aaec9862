import { createServer, type IncomingMessage, request as call, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outside } from '../../src/outside-config.ts';

/** A proxy between the server and its counterparties that replaces values in replies. */
export type InvalidTextOutside = {
  /** For `startSystem`: routes calls to the counterparties through this proxy. */
  outside: (outside: Outside) => Outside;
  /** From now on every field with one of these names gets another value in each reply; an empty list disables this. */
  replaceFields(fields: readonly string[], value: () => unknown): void;
  /** Number of replaced values so far. */
  countReplaced(): number;
  close(): Promise<void>;
};

export async function startPoisonedOutside(): Promise<InvalidTextOutside> {
  let target = '';
  let fields: ReadonlySet<string> = new Set();
  let currentValue: () => unknown = () => '';
  let replacedCount = 0;

  const replaceFields = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaceFields);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, childValue]) => {
        if (!fields.has(key) || typeof childValue === 'object') return [key, replaceFields(childValue)];
        replacedCount += 1;
        return [key, currentValue()];
      }),
    );
  };

  const server = createServer((incomingRequest, response) => {
    incomingRequest.on('error', () => {});
    const { hostname, port } = new URL(target);
    const outgoingRequest = call(
      { hostname, port, path: incomingRequest.url, method: incomingRequest.method, headers: incomingRequest.headers },
      (upstreamReply) => void relayReply(upstreamReply, response).catch(() => response.destroy()),
    );
    outgoingRequest.on('error', () => response.destroy());
    response.on('close', () => outgoingRequest.destroy());
    incomingRequest.pipe(outgoingRequest);
  });

  async function relayReply(upstreamReply: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of upstreamReply as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const type = upstreamReply.headers['content-type'] ?? '';
    const isJson = fields.size > 0 && type.includes('json');
    const body = isJson ? Buffer.from(JSON.stringify(replaceFields(JSON.parse(text.toString())))) : text;
    response.writeHead(upstreamReply.statusCode ?? 500, { 'content-type': type });
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
    replaceFields: (names, value) => {
      fields = new Set(names);
      currentValue = value;
    },
    countReplaced: () => replacedCount,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
