import assert from 'node:assert/strict';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

export type ChosenBonus = {
  code: string;
  name: string;
  state: 'PENDING' | 'RECEIVED' | 'REFUSED';
  amount: number | null;
  reason: string | null;
  detail: string | null;
};

/** Requests a QR code with a chosen bonus. */
export const createQrWith = (
  system: Pick<System, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  amount: number,
  { bonus, key }: { bonus?: unknown; key?: string } = {},
): Promise<ApiReply> =>
  system.api('POST /api/qrcode/KBANK', {
    token,
    body: { amount, ...(bonus === undefined ? {} : { bonus }) },
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });

/** Uploads a slip with a chosen bonus. @returns its reference */
export async function sendSlipWith(
  { url }: Pick<System, 'url'>,
  { token }: Pick<TestMember, 'token'>,
  image: Uint8Array,
  bonus: string,
): Promise<string> {
  const form = new FormData();
  form.append('bonus', bonus);
  form.append('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'slip.png');
  const headers = { 'x-requested-with': 'XMLHttpRequest', authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api/wallet/slip`, { method: 'POST', body: form, headers });
  const body = (await reply.json()) as { slip: { reference: string } };
  assert.equal(reply.status, 200, JSON.stringify(body));
  return body.slip.reference;
}

/** Reference of a QR code. */
export async function referenceOf({ database }: Pick<System, 'database'>, qrcodeId: string): Promise<string> {
  const { rows } = await database.query<{ reference: string }>('select reference from qrcode where id = $1', [
    qrcodeId,
  ]);
  assert.ok(rows[0]);
  return rows[0].reference;
}

/** The bonus of a deposit in its timeline. */
export async function readChosenBonus(
  system: Pick<System, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  key: string,
): Promise<ChosenBonus | null> {
  const headers = { cookie: 'language=EN' };
  const { status, body } = await system.api('GET /api/money/{key}', { token, params: { key }, headers });
  assert.equal(status, 200, JSON.stringify(body));
  return body.bonus as ChosenBonus | null;
}

/** Waits until the bonus of a deposit has an outcome. */
export const waitForChosenBonus = (
  system: Pick<System, 'api'>,
  member: Pick<TestMember, 'token'>,
  key: string,
): Promise<ChosenBonus | null> =>
  waitUntil(
    () => readChosenBonus(system, member, key),
    (bonus) => bonus !== null && bonus.state !== 'PENDING',
    'outcome of the chosen bonus',
  );

/** The member's own bank account, as payer. */
export const payerOf = ({ bankCode, bankAccountNo, bankAccountName }: TestMember) => ({
  bankCode,
  accountNo: bankAccountNo,
  accountName: bankAccountName,
});

/** Pays a QR code from the member's bank. */
export async function payQrcode(
  system: Pick<System, 'simulatorsApi'>,
  member: TestMember,
  payload: string,
  options: { amount?: string; late?: boolean } = {},
): Promise<void> {
  const body = { payload, from: payerOf(member), ...options };
  const reply = await system.simulatorsApi('POST /bank/pay-qr', { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Available money in the wallet, in whole units. */
export async function readWallet(system: Pick<System, 'api'>, { token }: Pick<TestMember, 'token'>): Promise<number> {
  const { body } = await system.api('GET /api/wallet', { token });
  return body.wallet.amount as number;
}
