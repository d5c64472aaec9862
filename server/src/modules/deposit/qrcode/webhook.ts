import type { FastifyInstance } from 'fastify';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { CallbackCall, Gateway } from '../../../counterparties/gateway/port.ts';
import { parkPayment } from './credit-payment.ts';
import { wake } from './queries.ts';

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

/**
 * Takes a gateway's callback. It only wakes an inquiry, whatever it claims; one about a code that nobody knows is kept for
 * an operator. Refuses with KEY_MISSING, KEY_INVALID, or NO_DATA for a body that can't be read.
 */
export async function receiveCallback(deps: QrcodeDeps, gateway: Gateway, call: CallbackCall): Promise<void> {
  const reading = gateway.readCallback(call);
  switch (reading.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(reading.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM':
      if (await wake(deps.database, gateway.code, reading.reference)) deps.wakeWatcher();
      else await parkPayment(deps, { gateway: gateway.code, reference: reading.reference }, 'UNKNOWN_CODE', '');
  }
}
