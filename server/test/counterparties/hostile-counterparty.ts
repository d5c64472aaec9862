import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A counterparty that returns the reply prepared by the test. */
export type HostileParty = {
  url: string;
  /** The reply by the path of the call: JSON, or bytes unchanged. */
  replyTo: (path: string) => { status?: number; body: unknown };
  close(): Promise<void>;
};

export async function startHostileParty(): Promise<HostileParty> {
  const hostileParty: HostileParty = { url: '', replyTo: () => ({ status: 500, body: {} }), close: async () => {} };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 200, body } = hostileParty.replyTo(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? ''));
    });
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hostileParty.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hostileParty.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return hostileParty;
}

type JsonPath = readonly (string | number)[];

/** Paths to every primitive value of a JSON value. */
export function jsonLeafPaths(value: unknown, path: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, childValue]) => jsonLeafPaths(childValue, [...path, key]));
}

/** A copy of a JSON value with the value at one path replaced. */
export function replaceJsonValue(value: unknown, [key, ...restPath]: JsonPath, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...(value as object) };
  (copy as Record<string, unknown>)[key] = replaceJsonValue(
    (value as Record<string, unknown>)[key],
    restPath,
    replacement,
  );
  return copy;
}

/** Whether the database stores every text of a value, as `text` and in `jsonb`. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0') && Array.from(value).length <= 2_000;
  if (typeof value !== 'object' || value === null || value instanceof Date) return true;
  return Object.entries(value).every(([key, childValue]) => isStorable(key) && isStorable(childValue));
}
