import * as endpoints from '@krapao/contract/endpoints/deposit/qrcode';
import type { FastifyInstance } from 'fastify';
import type { CallbackCall, Gateway } from '../../../adapters/gateway/port.ts';
import { Refusal } from '../../../platform/errors.ts';
import { route } from '../../../platform/http/route.ts';
import { createQrcode } from './create-qrcode.ts';
import { parkPayment } from './credit-payment.ts';
import { creditFromCallback } from './inquire.ts';
import type { QrcodeDeps } from './qrcode.ts';
import { findQrcodeByReference, requestInquiry } from './queries.ts';
import { cancelQrcode, getQrcode } from './show-qrcode.ts';

/** Endpoints of members. */
export function qrcodeRoutes(app: FastifyInstance, deps: QrcodeDeps): void {
  route(app, endpoints.getQrcode, async ({ params, member }) => ({
    status: 200,
    body: await getQrcode(deps, member, params.bankCode),
  }));
  route(app, endpoints.createQrcode, async ({ params, body, member, idempotencyKey }) => ({
    status: 200,
    body: await createQrcode(deps, { member, ...params, ...body, idempotencyKey }),
  }));
  route(app, endpoints.cancelQrcode, async ({ params, member }) => {
    await cancelQrcode(deps, member, params.qrcodeId);
    return { status: 200, body: { message: 'OK' } };
  });
}

const BODY_BYTES_MAX = 16 * 1024;

/** Callbacks of gateways: `POST /api/callback/{name}`. */
export function qrcodeWebhooks(app: FastifyInstance, deps: QrcodeDeps): void {
  void app.register(async (scope) => {
    // Raw bytes for every content type: some gateways sign them, and the adapter reports malformed bodies.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    for (const gateway of deps.gateways) {
      scope.post(`/api/callback/${gateway.name}`, async ({ query, headers, body }) => {
        const rawBody = Buffer.isBuffer(body) ? body : '';
        await receiveCallback(deps, gateway, { query: query as Record<string, unknown>, headers, body: rawBody });
        return gateway.callbackReply;
      });
    }
  });
}

/**
 * Processes a gateway's callback. A callback only triggers an inquiry. A callback about an unknown code is parked for
 * an operator.
 * @throws {Refusal} KEY_MISSING, KEY_INVALID, NO_DATA (malformed body)
 */
export async function receiveCallback(deps: QrcodeDeps, gateway: Gateway, call: CallbackCall): Promise<void> {
  const callback = gateway.readCallback(call);
  switch (callback.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(callback.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM':
      await inquireAfterCallback(deps, gateway, callback.reference);
  }
}

// The inquiry request is stored before the reply, so that the resolver can finish it.
async function inquireAfterCallback(deps: QrcodeDeps, gateway: Gateway, reference: string): Promise<void> {
  const code = await findQrcodeByReference(deps.database, gateway.code, reference);
  if (!code) return parkPayment(deps, { gateway: gateway.code, reference }, 'UNKNOWN_CODE', '');
  if (await creditFromCallback(deps, gateway, code)) return;
  await requestInquiry(deps.database, gateway.code, reference);
  deps.wakeResolver();
}
