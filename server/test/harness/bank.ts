import { strict as assert } from 'node:assert';
import type { System } from './system.ts';

type SystemClients = Pick<System, 'simulatorsApi'>;
type BankAccount = { bankCode: string; accountNo: string };
type Holder = BankAccount & { accountName: string };

/** A transfer as reported by the sender's bank: `sendingBank` and `transRef` identify it, and the slip is an image. */
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

/** Transfers money from any account to an account of the simulated bank. */
export async function bankTransfer(system: SystemClients, transfer: TransferRequest): Promise<BankTransfer> {
  const reply = await system.simulatorsApi('POST /bank/transfer', { body: transfer });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
