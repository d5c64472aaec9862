import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = Record<string, unknown> | string;

/** A bank whose replies the test controls, for replies that the simulated bank never sends. */
export type LyingBank = {
  url: string;
  /** Replies by path suffix; called with the request's body. */
  answers: Partial<Record<'qr_request' | 'v2' | 'qr_cancel', (body: Record<string, string>) => Answer>>;
  close(): Promise<void>;
};

export async function startLyingBank(): Promise<LyingBank> {
  const answers: LyingBank['answers'] = {};
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const path = (request.url ?? '').split('/').at(-1) as keyof typeof answers;
      const body = JSON.parse(text) as Record<string, string>;
      const answer = answers[path]?.(body) ?? { statusCode: '10', errorCode: 'internal_error' };
      response.setHeader('content-type', 'application/json');
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
  // Connections stay open: closing one could break a call in flight.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
