import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '../../../src/ledger/audit.ts';
import { houseAccountBalance } from '../../../src/ledger/balances.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import type { TestMember } from '../../harness/members.ts';
import type { System } from '../../harness/system.ts';

const POLL_MS = 30;
const PATIENCE_MS = 60_000;

/** Waits until a condition holds; reports the last value on timeout. */
export async function waitUntil<T>(
  readResult: () => Promise<T>,
  isSo: (result: T) => boolean,
  description: string,
): Promise<T> {
  let result: T | undefined;
  for (const deadlineMs = Date.now() + PATIENCE_MS; Date.now() < deadlineMs;) {
    result = await readResult();
    if (isSo(result)) return result;
    await wait(POLL_MS);
  }
  throw new Error(`${description}: still ${JSON.stringify(result)}`);
}

/** Waits long enough for an unwanted effect to appear. */
export const waitForUnwantedEffect = (ms = 400): Promise<void> => wait(ms);

/** One member's requests at one gateway, and their bank app. */
export function qrCustomer(system: System, member: TestMember, gateway = 'KBANK') {
  const { token } = member;
  const from = {
    bankCode: member.bankCode,
    accountNo: member.bankAccountNo,
    accountName: member.bankAccountName,
  };
  const readStatement = async () => (await system.api('POST /api/statement', { token, body: { limit: 100 } })).body;
  return {
    memberId: member.id,
    create: (amount: unknown, idempotencyKey?: string): Promise<ApiReply> =>
      system.api(`POST /api/qrcode/${gateway}`, {
        token,
        body: { amount },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }),
    current: (): Promise<ApiReply> => system.api(`GET /api/qrcode/${gateway}`, { token }),
    cancel: (qrcodeId: string): Promise<ApiReply> =>
      system.api('DELETE /api/qrcode/{qrcodeId}', { token, params: { qrcodeId } }),
    pay: (payload: string, payOptions: { amount?: string; late?: boolean } = {}): Promise<ApiReply> =>
      system.simulatorsApi('POST /bank/pay-qr', { body: { payload, from, ...payOptions } }),
    statement: readStatement,
    /** Amounts of all deposits in the statement, oldest first. */
    deposits: async (): Promise<number[]> => {
      const { statements } = await readStatement();
      return (statements as { statementType: string; amount: number }[])
        .filter(({ statementType }) => statementType === 'deposit')
        .map(({ amount }) => amount)
        .toReversed();
    },
  };
}

export type QrCustomer = ReturnType<typeof qrCustomer>;

/** Injects a fault into the simulator: at KBANK, unless the body names another target. */
export async function injectFault(system: System, body: Record<string, unknown>): Promise<void> {
  const { status } = await system.simulatorsApi('POST /control/faults', { body: { target: 'kbank', ...body } });
  assert.equal(status, 201);
}

/** Sends a callback to KBANK's URL, with its key by default. */
export const sendCallback = (
  system: System,
  body: unknown,
  key: string | undefined = system.outside.kbank.callbackKey,
) => system.api(`POST /api/callback/kbank${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`, { body });

/** The reply when a gateway created no code. */
export const CODE_NOT_CREATED = {
  hasQrcode: false,
  qrcodeId: null,
  qrcode: null,
  payload: null,
  amount: null,
  requested: null,
  expireIn: null,
  message: 'QR_FAIL',
  payee: null,
  bonusCode: null,
  reference: null,
};

/** Asserts that a gateway created no code. Its reference names the failed movement. */
export function assertCodeNotCreated({ status, body }: ApiReply, title?: string): void {
  const { reference, ...rest } = body;
  assert.match(reference, /^[A-Z0-9]{15}$/, title);
  assert.deepEqual([status, { ...rest, reference: null }], [200, CODE_NOT_CREATED], title);
}

/** Failure reasons of a member's codes, oldest first. */
export async function readFailureReasons(system: System, { memberId }: { memberId: string }): Promise<string[]> {
  const { rows } = await system.database.query<{ reason: string }>(
    `select reason from qrcode where member_id = $1 and reason is not null order by created_at`,
    [memberId],
  );
  return rows.map(({ reason }) => reason);
}

export type QrcodeRow = { state: string; reference: string; paid: bigint | null; due: boolean; wakes: number };

/** A code's row. */
export async function readQrcodeRow(system: System, id: string): Promise<QrcodeRow> {
  const { rows } = await system.database.query<QrcodeRow>(
    'select state, reference, paid_amount as paid, inquire_at is not null as due, wakes from qrcode where id = $1',
    [id],
  );
  assert.ok(rows[0]);
  return rows[0];
}

/** Makes all scheduled inquiries due, of one gateway or of all. */
export async function makeInquiriesDue(system: System, gateway?: string): Promise<void> {
  await system.database.query(
    'update qrcode set inquire_at = now() where inquire_at is not null and gateway = coalesce($1, gateway)',
    [gateway ?? null],
  );
}

/** Triggers an inquiry like a callback, and waits for the reply; not for a code without further inquiries. */
export async function triggerInquiry(system: System, id: string): Promise<void> {
  const readInquiry = async () => {
    const { rows } = await system.database.query<{ times: number; due: boolean }>(
      'select inquiries as times, inquire_at is not null as due from qrcode where id = $1',
      [id],
    );
    return rows[0] ?? { times: 0, due: false };
  };
  const { times } = await readInquiry();
  // A pending inquiry schedules the next one for later, unless one was requested concurrently.
  await system.database.query(
    'update qrcode set inquire_at = now(), wakes = wakes + 1 where id = $1 and inquire_at is not null',
    [id],
  );
  await waitUntil(readInquiry, (inquiry) => !inquiry.due || inquiry.times > times, 'asked again');
}

/** The gateway's house account agrees with the simulator. */
export async function assertTotalsAgree(system: System, gateway: string): Promise<void> {
  const { body } = await system.simulatorsApi('GET /control/totals');
  const gateways = body.gateways as { gateway: string; currency: 'BAHT' | 'LAK'; received: string }[];
  const total = gateways.find((gatewayTotals) => gatewayTotals.gateway === gateway);
  assert.ok(total, `the outside knows no gateway ${gateway}`);
  const received = BigInt(total.received.replace('.', ''));
  assert.equal(await houseAccountBalance(system.database, `gateway:${gateway}`, total.currency), -received);
}

/** The ledger passes its audit and agrees with KBANK. */
export async function assertBooksAgree(system: System): Promise<void> {
  await assertTotalsAgree(system, 'kbank');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
}
