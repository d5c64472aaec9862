import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A counterparty that returns the reply prepared by the test. */
export type HostileParty = {
  url: string;
  /** What it answers, by the path of the call: JSON, or bytes as they are. */
  answer: (path: string) => { status?: number; body: unknown };
  close(): Promise<void>;
};

export async function startHostileParty(): Promise<HostileParty> {
  const party: HostileParty = { url: '', answer: () => ({ status: 500, body: {} }), close: async () => {} };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 200, body } = party.answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(Buffer.isBuffer(body) ? body : (JSON.stringify(body) ?? ''));
    });
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  party.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  party.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return party;
}

type Path = readonly (string | number)[];

/** Paths to every value of a JSON that is no object or list. */
export function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

/** A copy of a JSON with another value at one place. */
export function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...(value as object) };
  (copy as Record<string, unknown>)[key] = replaceAt((value as Record<string, unknown>)[key], rest, by);
  return copy;
}

/** Whether the database takes a value: every text in it, as `text` and in `jsonb`. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0') && Array.from(value).length <= 2_000;
  if (typeof value !== 'object' || value === null || value instanceof Date) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
}
