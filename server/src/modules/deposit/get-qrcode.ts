import type { Member } from '../../platform/http/member.ts';
import { chooseGateway } from './choose-gateway.ts';
import type { DepositDeps } from './deposit-deps.ts';
import { isLive } from './qrcode.ts';
import { findOpenQrcode } from './queries.ts';
import { NO_QRCODE, type ShownQrcode, showQrcode } from './show-qrcode.ts';

/** The member's live code at a gateway, or none. Refuses with NO_BANK. */
export async function getQrcode(deps: DepositDeps, member: Member, bankCode: string): Promise<ShownQrcode> {
  const { gateway } = await chooseGateway(deps, bankCode, member.currency);
  const code = await findOpenQrcode(deps.database, member.id, gateway.code);
  return code && isLive(code) ? showQrcode(code) : NO_QRCODE;
}
