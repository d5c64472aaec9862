import type { FastifyInstance } from 'fastify';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { receiveCallback } from './receive-callback.ts';

const BODY_BYTES_MAX = 16 * 1024;

/** The address that each gateway calls back: `POST /api/callback/{name}`. */
export function qrcodeWebhooks(app: FastifyInstance, deps: QrcodeDeps): void {
  void app.register(async (scope) => {
    // The raw text, whatever its type: some gateways sign the bytes, and a body that can't be read is not an accident of
    // ours but an answer of theirs.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    for (const gateway of deps.gateways) {
      scope.post(`/api/callback/${gateway.name}`, async ({ query, headers, body }) => {
        const text = typeof body === 'string' ? body : '';
        await receiveCallback(deps, gateway, { query: query as Record<string, unknown>, headers, body: text });
        return gateway.callbackReply;
      });
    }
  });
}
