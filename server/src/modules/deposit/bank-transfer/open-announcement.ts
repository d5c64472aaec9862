import { type Minor, smallestUnit } from '@krapao/contract/money';
import { type Tx, violatedConstraint } from '../../../platform/database/database.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import { countHit, type DepositAccount } from '../../lookup/index.ts';
import { Refusal } from '../../../platform/errors.ts';
import { hashRequest, type StoredCommand, type OpenedCommand, runIdempotent } from '../../../platform/idempotency.ts';
import { houseOf, type BankTransferDeps } from './bank-transfer.ts';
import { visiblePattern, maskedAs, visibleDigits } from './match-sender.ts';
import {
  accountsFor,
  pickDistinctAmount,
  GRACE_MS,
  onlyHouseOf,
  type Announcement,
  ANNOUNCEMENT_MS,
  type AnnouncementRequest,
  OPEN_MAX,
  readNoticeAmount,
  AMOUNT_STEPS,
} from './announcement.ts';
import {
  countOpenNotices,
  findNotice,
  findNoticeRequest,
  findOpenNotice,
  insertNotice,
  insertNoticeRequest,
  releaseOwnAmounts,
  lockMember,
  reserveAmount,
  selectReservedAmounts,
} from './announcement-queries.ts';

export type NoticeDeps = BankTransferDeps & {
  rateLimits: RateLimits;
};

const LIFE = { lifeMs: ANNOUNCEMENT_MS, graceMs: GRACE_MS };

type Wanted = Pick<Announcement, 'memberId' | 'house' | 'currency' | 'amount'> & {
  looks: string[];
  /** One of the accounts can't tell this member from another one. */
  isAlike: boolean;
  key: string | undefined;
  requestHash: Buffer;
};

const REFERENCE_CHARACTERS = 12;

/**
 * Opens a notice, or answers the open one of the same amount and account. What has to be sent is the amount itself, unless
 * there is another member whom the account couldn't tell apart: then it is a little more.
 * Refuses with TRANSFER_MINIMUM, NO_BANK, NO_WALLET, KEY_INVALID, REQUEST_LIMIT.
 */
export async function openAnnouncement(
  deps: NoticeDeps,
  member: Member,
  wish: AnnouncementRequest,
  key: string | undefined,
): Promise<Announcement> {
  const data = await deps.operatorData();
  const accounts = accountsFor(wish, data.depositAccounts, member.currency);
  const amount = readNoticeAmount(wish.amount, member.currency, accounts);
  const house = onlyHouseOf(accounts);
  const requestHash = hashRequest([house, String(amount)]);
  let wanted: Wanted | undefined;
  return runIdempotent<Announcement, Announcement>({
    key,
    requestHash,
    find: (used) => findKnown(deps, member.id, used),
    open: async () => {
      // Checked and counted once, also when opening is retried; a replay is not.
      wanted ??= {
        ...(await admitNotice(deps, member, accounts)),
        memberId: member.id,
        house,
        currency: member.currency,
        amount,
        key,
        requestHash,
      };
      return attemptToOpen(deps, wanted);
    },
    answer: (notice) => notice,
    busy: () => new Refusal('REQUEST_LIMIT', { detail: 'AMOUNT_TAKEN', retryAfterSeconds: 1 }),
  });
}

/** @throws {Refusal} NO_WALLET, NO_BANK, REQUEST_LIMIT */
async function admitNotice(
  deps: NoticeDeps,
  member: Member,
  accounts: readonly DepositAccount[],
): Promise<Pick<Wanted, 'looks' | 'isAlike'>> {
  await deps.account.assertWalletOpen(member.id);
  const own = await deps.account.bankAccountOf(deps.database, member.id);
  if (!own) throw new Refusal('NO_BANK', { detail: 'NO_REGISTERED_ACCOUNT' });
  await countHit(deps, 'notice.member', member.id);
  return {
    looks: accounts.map((account) => visiblePattern(houseOf(account), own)).toSorted(),
    isAlike: await hasLookAlike(deps, member, own, accounts.map(houseOf)),
  };
}

async function hasLookAlike(
  { database, account, operatorData }: NoticeDeps,
  member: Member,
  own: { bankCode: string; accountNo: string },
  houses: readonly string[],
): Promise<boolean> {
  const { banks } = await operatorData();
  const number = banks.find(({ code }) => code === own.bankCode)?.number ?? null;
  // Merged banks are one to the receiver.
  const isSame = (bank: { code: string; number: string | null }): boolean =>
    bank.code === own.bankCode || (number !== null && bank.number === number);
  const bankCodes = banks.filter(isSame).map(({ code }) => code);
  for (const house of houses) {
    const digits = visibleDigits(maskedAs(house, own.accountNo));
    if (digits === undefined) continue;
    const holders = await account.holdersAt(database, { bankCodes, digits, currency: member.currency });
    if (holders.some(({ memberId }) => memberId !== member.id)) return true;
  }
  return false;
}

// Undefined when another request took the amount, or used the key, at the same moment: this transaction is rolled back.
async function attemptToOpen(deps: NoticeDeps, wanted: Wanted): Promise<OpenedCommand<Announcement> | undefined> {
  try {
    return { row: await deps.database.tx((tx) => open(tx, deps, wanted)), isNew: true };
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'deposit_reserved_amount_once' || constraint === 'deposit_notice_request_key') return undefined;
    throw error;
  }
}

async function open(tx: Tx, deps: NoticeDeps, wanted: Wanted): Promise<Announcement> {
  // Two requests of one member would each not see the other's notice, but see its amount taken.
  await lockMember(tx, wanted.memberId);
  const present = await findOpenNotice(tx, wanted);
  if (present) {
    await rememberKey(tx, wanted, present.id);
    return present;
  }
  if ((await countOpenNotices(tx, wanted.memberId)) >= OPEN_MAX) {
    throw new Refusal('REQUEST_LIMIT', { detail: 'NOTICES_OPEN', retryAfterSeconds: ANNOUNCEMENT_MS / 1_000 });
  }
  const id = uuidV7(deps.clock.now());
  const payAmount = await reserve(tx, wanted, id);
  await insertNotice(tx, { ...wanted, id, payAmount, reference: `N${newReference(REFERENCE_CHARACTERS)}` }, LIFE);
  await rememberKey(tx, wanted, id);
  return (await findNotice(tx, id)) as Announcement;
}

async function reserve(tx: Tx, wanted: Wanted, noticeId: string): Promise<Minor> {
  const { looks, amount, currency, memberId, isAlike } = wanted;
  // What the member's own ended notices still keep doesn't stand in their way.
  await releaseOwnAmounts(tx, memberId, amount);
  const upTo = amount + BigInt(AMOUNT_STEPS) * smallestUnit(currency);
  const taken = new Set(await selectReservedAmounts(tx, looks, amount, upTo));
  const free = pickDistinctAmount(amount, currency, { taken, isAlike });
  if (free === undefined) throw new Refusal('REQUEST_LIMIT', { detail: 'AMOUNT_TAKEN', retryAfterSeconds: 60 });
  await reserveAmount(tx, looks, { id: noticeId, payAmount: free }, LIFE);
  return free;
}

async function findKnown(
  { database }: NoticeDeps,
  memberId: string,
  key: string,
): Promise<StoredCommand<Announcement> | undefined> {
  const request = await findNoticeRequest(database, memberId, key);
  const row = request && (await findNotice(database, request.noticeId));
  return row && { row, requestHash: request.requestHash };
}

async function rememberKey(tx: Tx, wanted: Wanted, noticeId: string): Promise<void> {
  const { memberId, key, requestHash } = wanted;
  if (key !== undefined) await insertNoticeRequest(tx, { memberId, key, requestHash, noticeId });
}
