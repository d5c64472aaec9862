import { strict as assert } from 'node:assert';
import type { System } from './system.ts';

type World = Pick<System, 'world'>;
export type BankAccount = { bankCode: string; accountNo: string };
export type Holder = BankAccount & { accountName: string };

/** What a person's bank says of a transfer: with `sendingBank` and `transRef` it is looked up, the slip is its picture. */
export type BankTransfer = {
  transferId: string;
  sendingBank: string;
  transRef: string;
  amount: string;
  at: string;
  slipUrl: string;
  slipPayload: string;
};

/** `at`: an ISO time in the past. `slip`: how its QR is laid out. */
export type TransferWish = {
  from: Holder;
  to: BankAccount;
  amount: string;
  at?: string;
  slip?: 'bank' | 'short-crc' | 'truemoney' | 'none';
  transRef?: string;
};

/** Sends money from anybody's account to one that the bank knows. */
export async function bankTransfer(system: World, wish: TransferWish): Promise<BankTransfer> {
  const reply = await system.world('POST /bank/transfer', { body: wish });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** The picture of a transfer's slip, as the person's bank app saves it. */
export async function slipPicture({ slipUrl }: Pick<BankTransfer, 'slipUrl'>): Promise<Buffer> {
  const reply = await fetch(slipUrl);
  assert.equal(reply.status, 200, slipUrl);
  return Buffer.from(await reply.arrayBuffer());
}

export type BankFault = {
  fault: string;
  times?: number;
  delayMs?: number;
  /** One of pay-qr, transfer, payouts, payout-status, slip-lookup, feed; of callbacks line or payout. */
  call?: string;
  applied?: boolean;
  amount?: string;
};

/** Makes the bank, or the wallet app, misbehave on its next calls. */
export async function outsideFault(
  system: World,
  fault: BankFault,
  target: 'bank' | 'wallet-app' = 'bank',
): Promise<void> {
  const reply = await system.world('POST /control/faults', { body: { target, ...fault } });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
}

/** Lets payouts stay under way until {@link endPayout} decides. */
export async function holdPayouts(system: World): Promise<void> {
  const reply = await system.world('POST /control/settings', { body: { payoutDelayMs: 86_400_000 } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Ends a payout that the bank has accepted. */
export async function endPayout(
  system: World,
  reference: string,
  outcome: 'PAID' | 'FAILED',
  reason?: string,
): Promise<void> {
  const reply = await system.world('POST /control/payouts/{reference}', {
    params: { reference },
    body: { outcome, ...(reason === undefined ? {} : { reason }) },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** What lies in an account and what ever came in and went out, as the bank counts it. */
export async function bankTotals(
  system: World,
  { bankCode, accountNo }: BankAccount,
): Promise<Record<'balance' | 'opening' | 'cashIn' | 'in' | 'out', string>> {
  const { body } = await system.world('GET /control/totals');
  const rows = body.bank as (BankAccount & Record<'balance' | 'opening' | 'cashIn' | 'in' | 'out', string>)[];
  const row = rows.find((one) => one.bankCode === bankCode && one.accountNo === accountNo);
  assert.ok(row, `the bank has no account ${bankCode} ${accountNo}`);
  return row;
}

/** A gift link of the wallet app. */
export async function giftLink(
  system: World,
  gift: { amount: string; members?: number; from?: string; expiresInSeconds?: number },
): Promise<{ link: string; hash: string; voucherId: string; share: string }> {
  const reply = await system.world('POST /wallet-app/gift', { body: gift });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** Sends money in the wallet app to the phone number of a wallet. */
export async function walletTransfer(
  system: World,
  sent: { from: string | { phone: string; name: string }; to: string; amount: string },
): Promise<{ transactionId: string; amount: string; at: string; slipUrl: string; slipPayload: string }> {
  const reply = await system.world('POST /wallet-app/transfer', { body: sent });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
