import type { qrcode } from '@krapao/contract/endpoints/deposit/qrcode';
import { toWire } from '@krapao/contract/money';
import { toString } from 'qrcode';
import type { z } from 'zod';
import { readPayee } from '../../../adapters/gateway/payee.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { inquireBeforeShowing, settleQrcode } from './inquire.ts';
import { isLive, type Qrcode, selectGateway, type QrcodeDeps, gatewayOf, qrFail, INQUIRY_SCHEDULE } from './qrcode.ts';
import { findOpenQrcode, findQrcode, markEnded, requestInquiry } from './queries.ts';

export type ShownQrcode = z.input<typeof qrcode>;

export const NO_QRCODE: ShownQrcode = {
  hasQrcode: false,
  qrcodeId: null,
  qrcode: null,
  payload: null,
  amount: null,
  requested: null,
  expireIn: null,
  message: null,
  payee: null,
  bonusCode: null,
  reference: null,
};

/** Renders a code as an SVG; {@link NO_QRCODE} when the gateway has issued no payload. */
export async function showQrcode(code: Qrcode): Promise<ShownQrcode> {
  if (code.payload === null || code.payAmount === null || code.expiresAt === null) return NO_QRCODE;
  return {
    hasQrcode: true,
    qrcodeId: code.id,
    qrcode: await toString(code.payload, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 }),
    payload: code.payload,
    amount: toWire(code.payAmount),
    requested: toWire(code.amount),
    expireIn: code.expiresAt.toISOString(),
    message: null,
    payee: readPayee(code.payload) ?? null,
    bonusCode: code.bonusCode,
    reference: code.reference,
  };
}

/**
 * The member's live code at a gateway, or {@link NO_QRCODE}. Inquires first whether it is paid. @throws {Refusal}
 * NO_BANK
 */
export async function getQrcode(deps: QrcodeDeps, member: Member, bankCode: string): Promise<ShownQrcode> {
  const { gateway } = await selectGateway(deps, bankCode, member.currency);
  const openCode = await findOpenQrcode(deps.database, member.id, gateway.code);
  const code = openCode && (await inquireBeforeShowing(deps, openCode));
  return code && isLive(code) ? showQrcode(code) : NO_QRCODE;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Cancels an unpaid code. Idempotent. A payment that wins the race is credited.
 * @throws {Refusal} NO_DATA, INVALID_USER_3, QR_FAIL (QR_PAID, QR_EXPIRED, QR_FAILED, QR_CREATING; GATEWAY_UNKNOWN: no
 *   reply, the code stays open and an inquiry is due)
 */
export async function cancelQrcode(deps: QrcodeDeps, member: Member, id: string): Promise<void> {
  const code = UUID.test(id) ? await findQrcode(deps.database, id) : undefined;
  if (!code) throw new Refusal('NO_DATA');
  if (code.memberId !== member.id) throw new Refusal('INVALID_USER_3');
  if (code.state === 'CANCELLED') return;
  if (code.state === 'CREATING') throw qrFail('QR_CREATING');
  if (!isLive(code)) throw notCancellableError(code);
  const outcome = await gatewayOf(deps, code.gateway).cancel(code);
  switch (outcome) {
    case 'CANCELLED':
    case 'NOT_FOUND':
      return markCancelled(deps, code);
    case 'ALREADY_PAID':
      // Inquires while the member waits. Without a reply the resolver continues.
      await requestImmediateInquiry(deps, code);
      await settleQrcode(deps, code);
      throw qrFail('QR_PAID');
    case 'EXPIRED':
      await markEnded(deps.database, code.id, 'EXPIRED', null, INQUIRY_SCHEDULE.graceEveryMs);
      throw qrFail('QR_EXPIRED');
    case 'UNKNOWN':
      await requestImmediateInquiry(deps, code);
      throw qrFail('GATEWAY_UNKNOWN');
  }
}

async function markCancelled(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  if (await markEnded(deps.database, code.id, 'CANCELLED', null, INQUIRY_SCHEDULE.graceEveryMs)) return;
  const currentCode = (await findQrcode(deps.database, code.id)) ?? code;
  if (currentCode.state !== 'CANCELLED') throw notCancellableError(currentCode);
}

async function requestImmediateInquiry(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  await requestInquiry(deps.database, code.gateway, code.reference);
  deps.wakeResolver();
}

function notCancellableError({ state }: Qrcode): Refusal {
  if (state === 'PAID') return qrFail('QR_PAID');
  if (state === 'FAILED') return qrFail('QR_FAILED');
  return qrFail('QR_EXPIRED');
}
