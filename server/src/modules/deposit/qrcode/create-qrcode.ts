import type { Member } from '../../../platform/http/caller/member.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { hashRequest, runCommand } from '../../../settlement/command.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import { chooseGateway, type QrcodeDeps } from './qrcode-deps.ts';
import { findKnown, openQrcode } from './open-qrcode.ts';
import { type Qrcode, readQrcodeAmount, WATCH } from './qrcode.ts';
import { findQrcode, markEnded, markPending } from './queries.ts';
import { NO_QRCODE, type ShownQrcode, showQrcode } from './show-qrcode.ts';

export type CreateRequest = {
  member: Member;
  bankCode: string;
  /** As it came. */
  amount: unknown;
  idempotencyKey: string | undefined;
};

/** A code whose creation was not answered may be there: it is asked about soon. */
const FIRST_LOOK_MS = 5_000;

/**
 * Asks a gateway for a code, or answers the member's own: the live one of the same amount, or the code that the
 * idempotency key stands for. If the gateway refuses or does not reply, returns `hasQrcode: false` with the message
 * QR_FAIL. Refuses with NO_BANK, QR_FAIL (QR_PAID when that turns out to be paid), KEY_INVALID,
 * REQUEST_LIMIT_1MIN, and with REQUEST_LIMIT while another request for the same code is still under way after a moment.
 */
export async function createQrcode(deps: QrcodeDeps, request: CreateRequest): Promise<ShownQrcode> {
  const { member, bankCode } = request;
  const { gateway, limits } = await chooseGateway(deps, bankCode, member.currency);
  const amount = readQrcodeAmount(request.amount, member.currency, limits);
  const { idempotencyKey: key } = request;
  const requestHash = hashRequest([gateway.code, String(amount)]);
  return runCommand<Qrcode, ShownQrcode>({
    key,
    requestHash,
    findsOnOpening: true,
    find: (used) => findKnown(deps, member.id, used),
    open: () => openQrcode(deps, { member, gateway, amount, key, requestHash }),
    carryOut: async (code) => (await askGateway(deps, gateway, code)) ?? reread(deps, code),
    // A second request for the same code waits for the first one's answer.
    isAnswerable: ({ state }) => state !== 'CREATING',
    reread: (code) => reread(deps, code),
    answer,
    busy: () => creating(1),
  });
}

async function askGateway(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<Qrcode | undefined> {
  const answer = await gateway.create({
    reference: code.reference,
    amount: code.amount,
    payer: () => deps.account.bankAccountOf(deps.database, code.memberId),
  });
  if (answer.outcome === 'created') return markPending(deps.database, code.id, answer, WATCH.earlyEveryMs);
  const isProven = answer.outcome === 'refused';
  deps.log.warn({ reference: code.reference, gateway: gateway.code, reason: answer.reason }, 'no QR from the gateway');
  await markEnded(
    deps.database,
    code.id,
    'FAILED',
    isProven ? 'GATEWAY_REFUSED' : 'GATEWAY_UNKNOWN',
    isProven ? null : FIRST_LOOK_MS,
  );
  return undefined;
}

async function reread({ database }: QrcodeDeps, { id }: Qrcode): Promise<Qrcode> {
  const code = await findQrcode(database, id);
  if (!code) throw new Error(`the code ${id} is missing`);
  return code;
}

async function answer(code: Qrcode): Promise<ShownQrcode> {
  if (code.state === 'CREATING') throw creating(5);
  if (code.state === 'FAILED') return { ...NO_QRCODE, message: 'QR_FAIL' };
  return showQrcode(code);
}

const creating = (retryAfterSeconds: number): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'QR_CREATING', retryAfterSeconds });
