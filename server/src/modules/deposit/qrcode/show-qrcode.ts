import type { qrcode } from '@krapao/contract/endpoints/deposit/qrcode';
import { toWire } from '@krapao/contract/money';
import { toString } from 'qrcode';
import type { z } from 'zod';
import { isLive, type Qrcode } from './qrcode.ts';
import type { Member } from '../../../platform/http/caller/member.ts';
import { askAnew } from './inquiries.ts';
import { chooseGateway, type QrcodeDeps } from './qrcode-deps.ts';
import { findOpenQrcode } from './queries.ts';

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
};

/** A code as the app gets it, drawn here; nothing when it never had a text to show. */
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
  };
}

/** The member's live code at a gateway, or none; the gateway is asked whether it is paid. Refuses with NO_BANK. */
export async function getQrcode(deps: QrcodeDeps, member: Member, bankCode: string): Promise<ShownQrcode> {
  const { gateway } = await chooseGateway(deps, bankCode, member.currency);
  const known = await findOpenQrcode(deps.database, member.id, gateway.code);
  const code = known && (await askAnew(deps, known));
  return code && isLive(code) ? showQrcode(code) : NO_QRCODE;
}
