import type { Minor } from '@krapao/contract/money';
import { qrcodeTransitions } from '@krapao/contract/states';
import type { Gateway } from '../../../adapters/gateway/port.ts';
import { assertNever, Refusal } from '../../../platform/errors.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { hashRequest, runIdempotent, type StoredCommand, type OpenedCommand } from '../../../platform/idempotency.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import { assertTransition } from '../../../platform/state-machine.ts';
import { hashedChoice } from '../bonus-choice.ts';
import { inquireBeforeShowing } from './inquire.ts';
import {
  assertGatewayOpen,
  selectGateway,
  type QrcodeDeps,
  type Qrcode,
  parseQrcodeAmount,
  INQUIRY_SCHEDULE,
  qrFail,
} from './qrcode.ts';
import { findQrcode, markEnded, markPending, findQrcodeByKey, insertQrcode } from './queries.ts';
import { NO_QRCODE, type ShownQrcode, showQrcode } from './show-qrcode.ts';

export type CreateRequest = {
  member: Member;
  bankCode: string;
  /** Unvalidated. */
  amount: unknown;
  /** Code of the chosen bonus; '' for none. Unvalidated. */
  bonus: string;
  idempotencyKey: string | undefined;
};

/** Delay of the first inquiry about a code whose creation got no reply. */
const FIRST_INQUIRY_MS = 5_000;

/**
 * Creates a code at a gateway, or returns the member's live code of the same amount or of the same idempotency key.
 * If the gateway refuses or does not reply, returns `hasQrcode: false` with the message QR_FAIL.
 * @throws {Refusal} NO_BANK (STOPPED: an operator has stopped the gateway), QR_FAIL (QR_PAID: the existing code is paid), KEY_INVALID, REQUEST_LIMIT_1MIN,
 *   NO_PROMOTION, BONUS_CONDITION (the chosen bonus), REQUEST_LIMIT (a concurrent request for the same code is still pending)
 */
export async function createQrcode(deps: QrcodeDeps, request: CreateRequest): Promise<ShownQrcode> {
  const { member, bankCode } = request;
  const { gateway, limits } = await selectGateway(deps, bankCode, member.currency);
  const amount = parseQrcodeAmount(request.amount, member.currency, limits);
  const { idempotencyKey: key } = request;
  const requestHash = hashRequest([gateway.code, String(amount), ...hashedChoice(request.bonus)]);
  return runIdempotent<Qrcode, ShownQrcode>({
    key,
    requestHash,
    findsWhileOpening: true,
    find: (usedKey) => findByIdempotencyKey(deps, member.id, usedKey),
    open: async () => {
      await assertGatewayOpen(deps, gateway.code);
      const bonusCode = await deps.bonusChoice.check(member.currency, request.bonus, amount);
      return openQrcode(deps, { member, gateway, amount, bonusCode, key, requestHash });
    },
    execute: async (code) => (await requestCode(deps, gateway, code)) ?? reloadCode(deps, code),
    // A second request for the same code waits for the gateway's reply to the first.
    isReplyReady: ({ state }) => state !== 'CREATING',
    reload: (code) => reloadCode(deps, code),
    toReply,
    busyError: () => creatingError(1),
  });
}

async function requestCode(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<Qrcode | undefined> {
  const reply = await gateway.create({
    reference: code.reference,
    amount: code.amount,
    payer: () => deps.account.bankAccountOf(deps.database, code.memberId),
  });
  if (reply.outcome === 'created') return markPending(deps.database, code.id, reply, INQUIRY_SCHEDULE.earlyEveryMs);
  const isRefused = reply.outcome === 'refused';
  deps.log.warn({ reference: code.reference, gateway: gateway.code, reason: reply.reason }, 'gateway created no QR');
  await markEnded(
    deps.database,
    code.id,
    'FAILED',
    isRefused ? 'GATEWAY_REFUSED' : 'GATEWAY_UNKNOWN',
    isRefused ? null : FIRST_INQUIRY_MS,
  );
  return undefined;
}

async function reloadCode({ database }: QrcodeDeps, { id }: Qrcode): Promise<Qrcode> {
  const code = await findQrcode(database, id);
  if (!code) throw new Error(`the code ${id} is missing`);
  return code;
}

async function toReply(code: Qrcode): Promise<ShownQrcode> {
  if (code.state === 'CREATING') throw creatingError(5);
  if (code.state === 'FAILED') return { ...NO_QRCODE, message: 'QR_FAIL', reference: code.reference };
  return showQrcode(code);
}

const creatingError = (retryAfterSeconds: number): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'QR_CREATING', retryAfterSeconds });

export type QrcodeRequest = {
  member: Member;
  gateway: Gateway;
  amount: Minor;
  bonusCode: string | null;
  key: string | undefined;
  requestHash: Buffer;
};

const REFERENCE_CHARACTERS = 15;
const CREATES_MAX = 5;
const CREATES_WINDOW_MS = 60_000;
const CREATES_WINDOW_SECONDS = CREATES_WINDOW_MS / 1_000;
/** Added to the gateway's timeout, so that the resolver does not inquire about a code that is being created. */
const INQUIRY_MARGIN_MS = 5_000;

/** Finds the code of an idempotency key. @throws {Refusal} QR_FAIL (QR_PAID) when it is paid */
export async function findByIdempotencyKey(
  deps: QrcodeDeps,
  memberId: string,
  key: string,
): Promise<StoredCommand<Qrcode> | undefined> {
  const storedCommand = await findQrcodeByKey(deps.database, memberId, key);
  if (storedCommand) await assertUnpaid(deps, storedCommand.row);
  return storedCommand;
}

/**
 * Finds the live code of the same amount, or inserts a new one. The database allows one open code, so concurrent
 * requests on any node get the same row.
 * @param inquiredCodeId the code that was just inquired about
 * @returns undefined when a concurrent request committed first or used the key
 * @throws {Refusal} QR_FAIL (QR_LIVE, QR_PAID), REQUEST_LIMIT_1MIN
 */
export async function openQrcode(
  deps: QrcodeDeps,
  request: QrcodeRequest,
  inquiredCodeId?: string,
): Promise<OpenedCommand<Qrcode> | undefined> {
  const { member, gateway, amount, bonusCode, key, requestHash } = request;
  assertTransition(qrcodeTransitions, 'PENDING', 'EXPIRED');
  const openResult = await insertQrcode(deps.database, {
    id: uuidV7(deps.clock.now()),
    memberId: member.id,
    gateway: gateway.code,
    reference: newReference(REFERENCE_CHARACTERS),
    currency: gateway.currency,
    amount,
    key,
    requestHash,
    bonusCode,
    inquiredCodeId,
    max: CREATES_MAX,
    windowMs: CREATES_WINDOW_MS,
    inquireInMs: gateway.patienceMs + INQUIRY_MARGIN_MS,
  });
  switch (openResult?.outcome) {
    case 'created':
    case 'reused':
      return { row: openResult.row, isNew: openResult.outcome === 'created' };
    case 'inquiry_needed':
      await assertUnpaid(deps, openResult.row);
      return openQrcode(deps, request, openResult.row.id);
    case 'amount_differs':
      throw qrFail('QR_LIVE');
    case 'too_many':
      throw new Refusal('REQUEST_LIMIT_1MIN', { retryAfterSeconds: CREATES_WINDOW_SECONDS });
    case 'key_taken':
    case undefined:
      return undefined;
    default:
      return assertNever(openResult);
  }
}

// A payment that is not credited yet is invisible to the member, who would pay twice.
async function assertUnpaid(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  if (code.state !== 'PAID' && (await inquireBeforeShowing(deps, code)).state === 'PAID') throw qrFail('QR_PAID');
}
