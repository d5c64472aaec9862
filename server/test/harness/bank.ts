import { strict as assert } from 'node:assert';
import type { System } from './system.ts';

type World = Pick<System, 'world'>;
type BankAccount = { bankCode: string; accountNo: string };
type Holder = BankAccount & { accountName: string };

/** What a person's bank says of a transfer: with `sendingBank` and `transRef` it is looked up, the slip is its picture. */
type BankTransfer = {
  transferId: string;
  sendingBank: string;
  transRef: string;
  amount: string;
  at: string;
  slipUrl: string;
  slipPayload: string;
};

/** `at`: an ISO time in the past. `slip`: layout of its QR. */
type TransferRequest = {
  from: Holder;
  to: BankAccount;
  amount: string;
  at?: string;
  slip?: 'bank' | 'short-crc' | 'truemoney' | 'none';
  transRef?: string;
};

/** Sends money from any account to one that the bank knows. */
export async function bankTransfer(system: World, transfer: TransferRequest): Promise<BankTransfer> {
  const reply = await system.world('POST /bank/transfer', { body: transfer });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
