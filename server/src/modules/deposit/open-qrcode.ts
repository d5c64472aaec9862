import { createHash } from 'node:crypto';
import type { Minor } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import type { Member } from '../../platform/http/caller/member.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Gateway } from '../../counterparties/gateway/port.ts';
import type { DepositDeps } from './deposit-deps.ts';
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

export type QrcodeWish = { member: Member; gateway: Gateway; amount: Minor; key: string | undefined };
/** `isNew`: the row has just been made, and it is the caller's turn to ask the gateway. */
export type OpenedQrcode = { code: Qrcode; isNew: boolean };

const REFERENCE_CHARACTERS = 15;
const CREATES_MAX = 5;
const CREATES_WINDOW_MS = 60_000;
const CREATES_WINDOW_SECONDS = CREATES_WINDOW_MS / 1_000;
const ATTEMPTS = 5;
/** Longer than any create call, so that the watcher doesn't ask about a code that is being made. */
const MARGIN_MS = 5_000;

/**
 * Finds the code that a wish already has, or makes its row. Requests that come at the same moment, to whichever node,
 * get the same row: the database lets only one be open, and a key stand for one code.
 * Refuses with KEY_INVALID, QR_FAIL (QR_LIVE) or REQUEST_LIMIT_1MIN.
 */
export async function openQrcode(deps: DepositDeps, wish: QrcodeWish): Promise<OpenedQrcode> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const opened = await attemptToOpen(deps, wish);
    if (opened) return opened;
  }
  throw new Refusal('REQUEST_LIMIT', { detail: 'QR_CREATING', retryAfterSeconds: 1 });
}

/** Another request of the same key got in between: what this transaction wrote must go. */
class KeyTaken extends Error {}

async function attemptToOpen(deps: DepositDeps, wish: QrcodeWish): Promise<OpenedQrcode | undefined> {
  try {
    return await deps.database.tx((tx) => open(tx, deps, wish));
  } catch (error) {
    if (error instanceof KeyTaken) return undefined;
    throw error;
  }
}

async function open(tx: Tx, deps: DepositDeps, wish: QrcodeWish): Promise<OpenedQrcode | undefined> {
  const { member, gateway, amount, key } = wish;
  const known = key === undefined ? undefined : await findKnown(tx, member.id, key, hashOf(wish));
  if (known) return { code: known, isNew: false };
  await expireOverdue(tx, member.id, gateway.code);
  const present = await findOpenQrcode(tx, member.id, gateway.code);
  if (present) {
    if (present.amount !== amount) throw qrFail('QR_LIVE');
    await rememberKey(tx, wish, present.id);
    return { code: present, isNew: false };
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
  return { code: (await findQrcode(tx, id)) as Qrcode, isNew: true };
}

async function findKnown(tx: Tx, memberId: string, key: string, requestHash: Buffer): Promise<Qrcode | undefined> {
  const request = await findRequest(tx, memberId, key);
  if (!request) return undefined;
  if (!request.requestHash.equals(requestHash)) {
    throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });
  }
  return findQrcode(tx, request.qrcodeId);
}

async function rememberKey(tx: Tx, wish: QrcodeWish, qrcodeId: string): Promise<void> {
  if (wish.key === undefined) return;
  const request = { memberId: wish.member.id, key: wish.key, requestHash: hashOf(wish), qrcodeId };
  if (!(await insertRequest(tx, request))) throw new KeyTaken();
}

function hashOf({ gateway, amount }: QrcodeWish): Buffer {
  return createHash('sha256').update(`${gateway.code} ${amount}`).digest();
}
