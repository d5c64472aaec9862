import type { Member } from '../../../platform/http/caller/member.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { type QrcodeDeps, gatewayOf } from './qrcode-deps.ts';
import { isLive, type Qrcode, qrFail, WATCH } from './qrcode.ts';
import { findQrcode, markEnded, wake } from './queries.ts';
import { settleQrcode } from './settle-qrcode.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Cancels an unpaid code. A payment that wins the race is credited, and the answer says so. Cancelling
 * a cancelled code again changes nothing. Refuses with NO_DATA, INVALID_USER_3, and QR_FAIL with QR_PAID, QR_EXPIRED,
 * QR_CREATING, or GATEWAY_UNKNOWN when the gateway doesn't answer: then the code stays and is asked about.
 */
export async function cancelQrcode(deps: QrcodeDeps, member: Member, id: string): Promise<void> {
  const code = ID.test(id) ? await findQrcode(deps.database, id) : undefined;
  if (!code) throw new Refusal('NO_DATA');
  if (code.memberId !== member.id) throw new Refusal('INVALID_USER_3');
  if (code.state === 'CANCELLED') return;
  if (code.state === 'CREATING') throw qrFail('QR_CREATING');
  if (!isLive(code)) throw notCancellable(code);
  const outcome = await gatewayOf(deps, code.gateway).cancel(code);
  switch (outcome) {
    case 'CANCELLED':
    case 'NOT_FOUND':
      return markCancelled(deps, code);
    case 'ALREADY_PAID':
      // The money is looked for while the member waits; should the gateway not answer now, the watcher goes on.
      await wakeWatcher(deps, code);
      await settleQrcode(deps, code);
      throw qrFail('QR_PAID');
    case 'EXPIRED':
      await markEnded(deps.database, code.id, 'EXPIRED', null, WATCH.graceEveryMs);
      throw qrFail('QR_EXPIRED');
    case 'UNKNOWN':
      await wakeWatcher(deps, code);
      throw qrFail('GATEWAY_UNKNOWN');
  }
}

async function markCancelled(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  if (await markEnded(deps.database, code.id, 'CANCELLED', null, WATCH.graceEveryMs)) return;
  const now = (await findQrcode(deps.database, code.id)) ?? code;
  if (now.state !== 'CANCELLED') throw notCancellable(now);
}

async function wakeWatcher(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  await wake(deps.database, code.gateway, code.reference);
  deps.wakeWatcher();
}

function notCancellable({ state }: Qrcode): Refusal {
  if (state === 'PAID') return qrFail('QR_PAID');
  if (state === 'FAILED') return qrFail('QR_FAILED');
  return qrFail('QR_EXPIRED');
}
