import type { FastifyInstance } from 'fastify';
import { receiveCallback } from './receive-callback.ts';
import type { WithdrawWork } from './withdraw-work.ts';

const BODY_BYTES_MAX = 16 * 1024;
/** What the bank takes for heard. */
const HEARD = { ok: true };

/** The address that the bank calls when a payout has ended: `POST /api/callback/bank-payout`. */
export function withdrawWebhook(app: FastifyInstance, work: WithdrawWork): void {
  void app.register(async (scope) => {
    // Raw bytes for every content type: the bank signs them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    scope.post('/api/callback/bank-payout', async ({ headers, body }) => {
      await receiveCallback(work, { headers, body: Buffer.isBuffer(body) ? body : '' });
      return HEARD;
    });
  });
}
