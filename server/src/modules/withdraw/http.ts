import { withdraw, withdrawAdvice, withdrawAll } from '@krapao/contract/endpoints/withdraw';
import { toWire } from '@krapao/contract/money';
import { STATED_MINUTES } from '@krapao/contract/usual-time';
import type { FastifyInstance } from 'fastify';
import type { BankCallback } from '../../adapters/bank-client.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { Refusal } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { bankAccount } from '../account/index.ts';
import { usualPayouts } from './payout-speed.ts';
import { scheduleNow } from './queries.ts';
import { requestWithdrawal } from './request-withdrawal.ts';
import { logOppositeOutcome } from './resolve-withdrawal.ts';
import { isClosed, type WithdrawDeps } from './withdraw.ts';

/** Registers the endpoints of withdrawals. */
export function withdrawRoutes(app: FastifyInstance, deps: WithdrawDeps): void {
  route(app, withdraw, async ({ body, member, idempotencyKey }) => {
    const reply = await requestWithdrawal(deps, { member, amount: body.amount, isAll: false, idempotencyKey });
    return { status: 200, body: { reference: reply.reference, status: 'PROCESSING', amount: toWire(reply.amount) } };
  });
  route(app, withdrawAll, async ({ body, member, idempotencyKey }) => {
    const reply = await requestWithdrawal(deps, { member, amount: body.amount, isAll: true, idempotencyKey });
    const { reference, sweepFailures } = reply;
    return {
      status: 200,
      body: { reference, status: 'PROCESSING', amount: toWire(reply.amount), notBrought: sweepFailures },
    };
  });
  const usualPayout = usualPayouts(deps);
  route(app, withdrawAdvice, async ({ member }) => {
    const { bankAccount: account } = await readBankAccount(deps.database, member.id);
    const usual = await usualPayout(account?.bankCode, member.currency);
    return { status: 200, body: { ...usual, statedMinutes: STATED_MINUTES.withdraw } };
  });
}

const readBankAccount = snapshotReader('bank of the payouts', { bankAccount });

const BODY_BYTES_MAX = 16 * 1024;
/** Reply body that the bank accepts as an acknowledgement. */
const ACKNOWLEDGEMENT = { ok: true };

/** Registers the bank's callback after a payout has ended: `POST /api/callback/bank-payout`. */
export function withdrawWebhook(app: FastifyInstance, deps: WithdrawDeps): void {
  void app.register(async (scope) => {
    // Keeps the raw bytes for every content type, because the signature covers them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    scope.post('/api/callback/bank-payout', async ({ headers, body }) => {
      await receiveCallback(deps, { headers, body: Buffer.isBuffer(body) ? body : '' });
      return ACKNOWLEDGEMENT;
    });
  });
}

/**
 * Processes a callback of the bank. It only triggers an inquiry; one that contradicts a closed payout is logged.
 * @throws {Refusal} KEY_MISSING, KEY_INVALID (signature wrong or too old), NO_DATA (malformed body)
 */
export async function receiveCallback(deps: WithdrawDeps, callback: BankCallback): Promise<void> {
  const parsedCallback = deps.payout.readCallback(callback);
  switch (parsedCallback.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(parsedCallback.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM': {
      const { reference, status } = parsedCallback;
      const state = await scheduleNow(deps.database, reference);
      if (state === undefined) deps.log.error({ reference }, 'bank callback about an unknown payout');
      else if (!isClosed(state)) deps.wakeResolver();
      else if (status !== undefined && status !== state) logOppositeOutcome(deps.log, reference, status);
    }
  }
}
