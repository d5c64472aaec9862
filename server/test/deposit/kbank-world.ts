import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '../../src/ledger/audit.ts';
import { houseBalance } from '../../src/ledger/balances.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

const POLL_MS = 30;
const PATIENCE_MS = 30_000;

/** Waits until something is so; says what was seen last when it never is. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean, what: string): Promise<T> {
  let seen: T | undefined;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    seen = await look();
    if (isSo(seen)) return seen;
    await wait(POLL_MS);
  }
  throw new Error(`${what}: still ${JSON.stringify(seen)}`);
}

/** Gives what was asked for time to go wrong. */
export const aWhile = (ms = 400): Promise<void> => wait(ms);

/** The calls of one member, and the bank app in their hand. */
export function customer(system: System, member: TestMember) {
  const { token } = member;
  const from = {
    bankCode: member.bankCode,
    accountNo: member.bankAccountNo,
    accountName: member.bankAccountName,
  };
  const statement = async () => (await system.api('POST /api/statement', { token, body: { limit: 100 } })).body;
  return {
    create: (amount: unknown, idempotencyKey?: string): Promise<ApiReply> =>
      system.api('POST /api/qrcode/KBANK', {
        token,
        body: { amount },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }),
    current: (): Promise<ApiReply> => system.api('GET /api/qrcode/KBANK', { token }),
    cancel: (qrcodeId: string): Promise<ApiReply> =>
      system.api('DELETE /api/qrcode/{qrcodeId}', { token, params: { qrcodeId } }),
    pay: (payload: string, how: { amount?: string; late?: boolean } = {}): Promise<ApiReply> =>
      system.world('POST /bank/pay-qr', { body: { payload, from, ...how } }),
    statement,
    /** Amounts of all deposits in the statement, oldest first. */
    deposits: async (): Promise<number[]> => {
      const { statements } = await statement();
      return (statements as { statementType: string; amount: number }[])
        .filter(({ statementType }) => statementType === 'deposit')
        .map(({ amount }) => amount)
        .toReversed();
    },
  };
}

/** Makes the outside misbehave. */
export async function fault(system: System, body: Record<string, unknown>): Promise<void> {
  const { status } = await system.world('POST /control/faults', { body: { target: 'kbank', ...body } });
  assert.equal(status, 201);
}

/** What was sent to the callback address by the gateway, or by anybody who knows the key. */
export const callBack = (system: System, body: unknown, key: string | undefined = system.outside.kbank.callbackKey) =>
  system.api(`POST /api/callback/kbank${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`, { body });

export type QrcodeRow = { state: string; reference: string; paid: bigint | null; due: boolean };

/** A code as it stands in the database. */
export async function rowOf(system: System, id: string): Promise<QrcodeRow> {
  const { rows } = await system.database.query<QrcodeRow>(
    'select state, reference, paid_amount as paid, inquire_at is not null as due from qrcode where id = $1',
    [id],
  );
  assert.ok(rows[0]);
  return rows[0];
}

/** Lets the watcher ask about everything that it would have asked about later. */
export async function letTimePass(system: System): Promise<void> {
  await system.database.query('update qrcode set inquire_at = now() where inquire_at is not null');
}

/** The books agree with themselves, and with what the outside says that it paid. */
export async function assertBooksAgree(system: System): Promise<void> {
  const { body } = await system.world('GET /control/totals');
  const gateway = (body.gateways as { gateway: string; received: string }[]).find(({ gateway: g }) => g === 'kbank');
  const received = BigInt((gateway?.received ?? '').replace('.', ''));
  assert.equal(await houseBalance(system.database, 'gateway:kbank', 'BAHT'), -received);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
}
