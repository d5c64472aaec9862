import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type ControlledReply = Record<string, unknown> | string;

/** A bank whose replies the test controls, for replies that the simulated bank never sends. */
export type ControlledQrBank = {
  url: string;
  /** Replies by path suffix; called with the request's body. */
  repliesByPath: Partial<Record<'qr_request' | 'v2' | 'qr_cancel', (body: Record<string, string>) => ControlledReply>>;
  close(): Promise<void>;
};

export async function startControlledQrBank(): Promise<ControlledQrBank> {
  const repliesByPath: ControlledQrBank['repliesByPath'] = {};
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const path = (request.url ?? '').split('/').at(-1) as keyof typeof repliesByPath;
      const body = JSON.parse(text) as Record<string, string>;
      const reply = repliesByPath[path]?.(body) ?? { statusCode: '10', errorCode: 'internal_error' };
      response.setHeader('content-type', 'application/json');
      response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
  });
  // Connections stay open: closing one could break a call in flight.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    repliesByPath: repliesByPath,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
