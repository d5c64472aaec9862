import * as endpoints from '@krapao/contract/endpoints/deposit/qrcode';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../platform/http/registrar.ts';
import { cancelQrcode } from './cancel-qrcode.ts';
import { createQrcode } from './create-qrcode.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { getQrcode } from './show-qrcode.ts';

/** The member's calls. */
export function qrcodeRoutes(app: FastifyInstance, deps: QrcodeDeps): void {
  route(app, endpoints.getQrcode, async ({ params, member }) => ({
    status: 200,
    body: await getQrcode(deps, member, params.bankCode),
  }));
  route(app, endpoints.createQrcode, async ({ params, body, member, idempotencyKey }) => ({
    status: 200,
    body: await createQrcode(deps, { member, bankCode: params.bankCode, amount: body.amount, idempotencyKey }),
  }));
  route(app, endpoints.cancelQrcode, async ({ params, member }) => {
    await cancelQrcode(deps, member, params.qrcodeId);
    return { status: 200, body: { message: 'OK' } };
  });
}
