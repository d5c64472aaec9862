import type { Minor } from '@krapao/contract/money';
import type { Tx } from '../../../platform/database/database.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import type { Member } from '../../../platform/http/caller/member.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { type KnownCommand, type OpenedCommand } from '../../../settlement/command.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { type Qrcode, qrFail } from './qrcode.ts';
import {
  countCreatedLately,
  expireOverdue,
  findOpenQrcode,
  findQrcode,
  findRequest,
  insertQrcode,
  insertRequest,
} from './queries.ts';

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

/** Another request of the same key got in between: what this transaction wrote must go. */
class KeyTaken extends Error {}

/** The code that an idempotency key stands for. */
export async function findKnown(
  { database }: QrcodeDeps,
  memberId: string,
  key: string,
): Promise<KnownCommand<Qrcode> | undefined> {
  const request = await findRequest(database, memberId, key);
  const row = request && (await findQrcode(database, request.qrcodeId));
  return row && { row, requestHash: request.requestHash };
}

/**
 * The live code of the same amount, or the row of a new one. Requests that come at the same moment, to any node, get the
 * same row: the database lets only one be open. Undefined: another request committed first.
 * Refuses with QR_FAIL (QR_LIVE) or REQUEST_LIMIT_1MIN.
 */
export async function openQrcode(deps: QrcodeDeps, wish: QrcodeWish): Promise<OpenedCommand<Qrcode> | undefined> {
  try {
    return await deps.database.tx((tx) => open(tx, deps, wish));
  } catch (error) {
    if (error instanceof KeyTaken) return undefined;
    throw error;
  }
}

async function open(tx: Tx, deps: QrcodeDeps, wish: QrcodeWish): Promise<OpenedCommand<Qrcode> | undefined> {
  const { member, gateway, amount } = wish;
  await expireOverdue(tx, member.id, gateway.code);
  const present = await findOpenQrcode(tx, member.id, gateway.code);
  if (present) {
    if (present.amount !== amount) throw qrFail('QR_LIVE');
    await rememberKey(tx, wish, present.id);
    return { row: present, isNew: false };
  }
  if ((await countCreatedLately(tx, member.id, gateway.code, CREATES_WINDOW_MS)) >= CREATES_MAX) {
    throw new Refusal('REQUEST_LIMIT_1MIN', { retryAfterSeconds: CREATES_WINDOW_SECONDS });
  }
  const id = uuidV7(deps.clock.now());
  const isMade = await insertQrcode(tx, {
    id,
    memberId: member.id,
    gateway: gateway.code,
    reference: newReference(REFERENCE_CHARACTERS),
    currency: gateway.currency,
    amount,
    inquireInMs: gateway.patienceMs + MARGIN_MS,
  });
  if (!isMade) return undefined;
  await rememberKey(tx, wish, id);
  return { row: (await findQrcode(tx, id)) as Qrcode, isNew: true };
}

async function rememberKey(tx: Tx, wish: QrcodeWish, qrcodeId: string): Promise<void> {
  if (wish.key === undefined) return;
  const request = { memberId: wish.member.id, key: wish.key, requestHash: wish.requestHash, qrcodeId };
  if (!(await insertRequest(tx, request))) throw new KeyTaken();
}
