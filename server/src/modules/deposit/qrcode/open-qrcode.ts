import type { Minor } from '@krapao/contract/money';
import { qrcodeTransitions } from '@krapao/contract/states';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import type { Member } from '../../../platform/http/caller/member.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { KnownCommand, OpenedCommand } from '../../../settlement/command.ts';
import { assertTransition } from '../../../settlement/transition.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import { askAnew } from './inquiries.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { type Qrcode, qrFail } from './qrcode.ts';
import { findByKey, insertQrcode } from './queries.ts';

export type QrcodeWish = {
  member: Member;
  gateway: Gateway;
  amount: Minor;
  key: string | undefined;
  requestHash: Buffer;
};

const REFERENCE_CHARACTERS = 15;
const CREATES_MAX = 5;
const CREATES_WINDOW_MS = 60_000;
const CREATES_WINDOW_SECONDS = CREATES_WINDOW_MS / 1_000;
/** Longer than any create call, so that the watcher doesn't ask about a code that is being made. */
const MARGIN_MS = 5_000;

/** The code that an idempotency key stands for. Refuses with QR_FAIL (QR_PAID) when it turns out to be paid. */
export async function findKnown(
  deps: QrcodeDeps,
  memberId: string,
  key: string,
): Promise<KnownCommand<Qrcode> | undefined> {
  const known = await findByKey(deps.database, memberId, key);
  if (known) await assertUnpaid(deps, known.row);
  return known;
}

/**
 * The live code of the same amount, or the row of a new one. Requests that come at the same moment, to any node, get the
 * same row: the database lets only one be open. Undefined: another request committed first, or stands for the key.
 * Refuses with QR_FAIL (QR_LIVE, QR_PAID) or REQUEST_LIMIT_1MIN.
 * @param asked code that the gateway was just asked about
 */
export async function openQrcode(
  deps: QrcodeDeps,
  wish: QrcodeWish,
  asked?: string,
): Promise<OpenedCommand<Qrcode> | undefined> {
  const { member, gateway, amount, key, requestHash } = wish;
  assertTransition(qrcodeTransitions, 'PENDING', 'EXPIRED');
  const opening = await insertQrcode(deps.database, {
    id: uuidV7(deps.clock.now()),
    memberId: member.id,
    gateway: gateway.code,
    reference: newReference(REFERENCE_CHARACTERS),
    currency: gateway.currency,
    amount,
    key,
    requestHash,
    asked,
    max: CREATES_MAX,
    windowMs: CREATES_WINDOW_MS,
    inquireInMs: gateway.patienceMs + MARGIN_MS,
  });
  switch (opening?.letter) {
    case 'o':
    case 's':
      return { row: opening.row, isNew: opening.letter === 'o' };
    case 'l':
      await assertUnpaid(deps, opening.row);
      return openQrcode(deps, wish, opening.row.id);
    case 'a':
      throw qrFail('QR_LIVE');
    case 'm':
      throw new Refusal('REQUEST_LIMIT_1MIN', { retryAfterSeconds: CREATES_WINDOW_SECONDS });
    case 't':
    case undefined:
      return undefined;
  }
}

// The member doesn't know of the payment yet, and would pay a second time.
async function assertUnpaid(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  if (code.state !== 'PAID' && (await askAnew(deps, code)).state === 'PAID') throw qrFail('QR_PAID');
}
