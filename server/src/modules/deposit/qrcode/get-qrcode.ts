import type { Member } from '../../../platform/http/caller/member.ts';
import { askAnew } from './ask-anew.ts';
import { chooseGateway } from './choose-gateway.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { isLive } from './qrcode.ts';
import { findOpenQrcode } from './queries.ts';
import { NO_QRCODE, type ShownQrcode, showQrcode } from './show-qrcode.ts';

/** The member's live code at a gateway, or none; the gateway is asked whether it is paid. Refuses with NO_BANK. */
export async function getQrcode(deps: QrcodeDeps, member: Member, bankCode: string): Promise<ShownQrcode> {
  const { gateway } = await chooseGateway(deps, bankCode, member.currency);
  const known = await findOpenQrcode(deps.database, member.id, gateway.code);
  const code = known && (await askAnew(deps, known));
  return code && isLive(code) ? showQrcode(code) : NO_QRCODE;
}
