import { withdraw, withdrawAll } from '@krapao/contract/endpoints/withdraw';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/route.ts';
import { requestWithdrawal } from './request-withdrawal.ts';
import type { WithdrawDeps } from './withdraw.ts';
import { Refusal } from '../../platform/errors.ts';
import type { BankCallback } from '../../adapters/bank-client.ts';
import { scheduleNow } from './queries.ts';

/** Registers the calls that pay money out. */
export function withdrawRoutes(app: FastifyInstance, work: WithdrawDeps): void {
  route(app, withdraw, async ({ body, member, idempotencyKey }) => {
    const told = await requestWithdrawal(work, { member, amount: body.amount, isAll: false, idempotencyKey });
    return { status: 200, body: { reference: told.reference, status: 'PROCESSING', amount: toWire(told.amount) } };
  });
  route(app, withdrawAll, async ({ body, member, idempotencyKey }) => {
    const told = await requestWithdrawal(work, { member, amount: body.amount, isAll: true, idempotencyKey });
    const { reference, notBrought } = told;
    return { status: 200, body: { reference, status: 'PROCESSING', amount: toWire(told.amount), notBrought } };
  });
}

const BODY_BYTES_MAX = 16 * 1024;
/** What the bank takes for heard. */
const HEARD = { ok: true };

/** The address that the bank calls when a payout has ended: `POST /api/callback/bank-payout`. */
export function withdrawWebhook(app: FastifyInstance, work: WithdrawDeps): void {
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

/**
 * Takes the bank's callback. It only wakes an inquiry, whatever it claims.
 * @throws KEY_MISSING, KEY_INVALID (signature wrong or too old), NO_DATA for a body that can't be read
 */
export async function receiveCallback(work: WithdrawDeps, call: BankCallback): Promise<void> {
  const reading = work.payout.readCallback(call);
  switch (reading.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(reading.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM':
      if (await scheduleNow(work.database, reading.reference)) work.wakeResolver();
      else work.log.error({ reference: reading.reference }, 'the bank calls about a payout that is not ours');
  }
}
