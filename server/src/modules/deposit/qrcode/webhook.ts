import type { FastifyInstance } from 'fastify';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { CallbackCall, Gateway } from '../../../counterparties/gateway/port.ts';
import { parkPayment } from './credit-payment.ts';
import { creditCalledBack } from './inquiries.ts';
import { findByReference, wake } from './queries.ts';

const BODY_BYTES_MAX = 16 * 1024;

/** The address that each gateway calls back: `POST /api/callback/{name}`. */
export function qrcodeWebhooks(app: FastifyInstance, deps: QrcodeDeps): void {
  void app.register(async (scope) => {
    // Raw bytes for every content type: some gateways sign them, and a malformed body is the gateway's error.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    for (const gateway of deps.gateways) {
      scope.post(`/api/callback/${gateway.name}`, async ({ query, headers, body }) => {
        const bytes = Buffer.isBuffer(body) ? body : '';
        await receiveCallback(deps, gateway, { query: query as Record<string, unknown>, headers, body: bytes });
        return gateway.callbackReply;
      });
    }
  });
}

/**
 * Takes a gateway's callback. It only causes an inquiry, whatever it claims; one about an unknown code is kept for an
 * operator. Refuses with KEY_MISSING, KEY_INVALID, or NO_DATA for a body that can't be read.
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
      await follow(deps, gateway, reading.reference);
  }
}

// The watcher does what this callback can't do at once: it is stored before the gateway gets its reply.
async function follow(deps: QrcodeDeps, gateway: Gateway, reference: string): Promise<void> {
  const code = await findByReference(deps.database, gateway.code, reference);
  if (!code) return parkPayment(deps, { gateway: gateway.code, reference }, 'UNKNOWN_CODE', '');
  if (await creditCalledBack(deps, gateway, code)) return;
  await wake(deps.database, gateway.code, reference);
  deps.wakeWatcher();
}
