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
  parseAnnouncedAmount,
  AMOUNT_STEPS,
} from './announcement.ts';
import {
  countOpenAnnouncements,
  findAnnouncement,
  findAnnouncementRequest,
  findOpenAnnouncement,
  insertAnnouncement,
  insertAnnouncementRequest,
  releaseOwnAmounts,
  lockMember,
  reserveAmount,
  selectReservedAmounts,
} from './announcement-queries.ts';

export type AnnouncementDeps = BankTransferDeps & {
  rateLimits: RateLimits;
};

const LIFE = { lifeMs: ANNOUNCEMENT_MS, graceMs: GRACE_MS };

type AdmittedAnnouncement = Pick<Announcement, 'memberId' | 'house' | 'currency' | 'amount'> & {
  patterns: string[];
  /** At one of the accounts another member has the same visible pattern. */
  isPatternShared: boolean;
  key: string | undefined;
  requestHash: Buffer;
};

const REFERENCE_CHARACTERS = 12;

/**
 * Opens an announcement, or returns the open one of the same amount and account.
 * The amount to send is the announced one, or slightly more when another member has the same visible pattern.
 * @throws {Refusal} TRANSFER_MINIMUM, NO_BANK, NO_WALLET, KEY_INVALID, REQUEST_LIMIT
 */
export async function openAnnouncement(
  deps: AnnouncementDeps,
  member: Member,
  request: AnnouncementRequest,
  key: string | undefined,
): Promise<Announcement> {
  const data = await deps.operatorData();
  const accounts = accountsFor(request, data.depositAccounts, member.currency);
  const amount = parseAnnouncedAmount(request.amount, member.currency, accounts);
  const house = onlyHouseOf(accounts);
  const requestHash = hashRequest([house, String(amount)]);
  let admitted: AdmittedAnnouncement | undefined;
  return runIdempotent<Announcement, Announcement>({
    key,
    requestHash,
    find: (used) => findKnown(deps, member.id, used),
    open: async () => {
      // Checked and counted once, also when opening is retried. Replays are not counted.
      admitted ??= {
        ...(await admitAnnouncement(deps, member, accounts)),
        memberId: member.id,
        house,
        currency: member.currency,
        amount,
        key,
        requestHash,
      };
      return attemptToOpen(deps, admitted);
    },
    toReply: (notice) => notice,
    busyError: () => new Refusal('REQUEST_LIMIT', { detail: 'AMOUNT_TAKEN', retryAfterSeconds: 1 }),
  });
}

/** @throws {Refusal} NO_WALLET, NO_BANK, REQUEST_LIMIT */
async function admitAnnouncement(
  deps: AnnouncementDeps,
  member: Member,
  accounts: readonly DepositAccount[],
): Promise<Pick<AdmittedAnnouncement, 'patterns' | 'isPatternShared'>> {
  await deps.account.assertWalletOpen(member.id);
  const own = await deps.account.bankAccountOf(deps.database, member.id);
  if (!own) throw new Refusal('NO_BANK', { detail: 'NO_REGISTERED_ACCOUNT' });
  await countHit(deps, 'notice.member', member.id);
  return {
    patterns: accounts.map((account) => visiblePattern(houseOf(account), own)).toSorted(),
    isPatternShared: await isPatternShared(deps, member, own, accounts.map(houseOf)),
  };
}

async function isPatternShared(
  { database, account, operatorData }: AnnouncementDeps,
  member: Member,
  own: { bankCode: string; accountNo: string },
  houses: readonly string[],
): Promise<boolean> {
  const { banks } = await operatorData();
  const number = banks.find(({ code }) => code === own.bankCode)?.number ?? null;
  // Merged banks share a number.
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

// Undefined when a concurrent request took the amount or used the key; this transaction is rolled back.
async function attemptToOpen(
  deps: AnnouncementDeps,
  admitted: AdmittedAnnouncement,
): Promise<OpenedCommand<Announcement> | undefined> {
  try {
    return { row: await deps.database.tx((tx) => open(tx, deps, admitted)), isNew: true };
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'deposit_reserved_amount_once' || constraint === 'deposit_notice_request_key') return undefined;
    throw error;
  }
}

async function open(tx: Tx, deps: AnnouncementDeps, admitted: AdmittedAnnouncement): Promise<Announcement> {
  // Without the lock, concurrent requests of a member see each other's reserved amount but not the announcement.
  await lockMember(tx, admitted.memberId);
  const present = await findOpenAnnouncement(tx, admitted);
  if (present) {
    await saveKey(tx, admitted, present.id);
    return present;
  }
  if ((await countOpenAnnouncements(tx, admitted.memberId)) >= OPEN_MAX) {
    throw new Refusal('REQUEST_LIMIT', { detail: 'NOTICES_OPEN', retryAfterSeconds: ANNOUNCEMENT_MS / 1_000 });
  }
  const id = uuidV7(deps.clock.now());
  const payAmount = await reserve(tx, admitted, id);
  await insertAnnouncement(
    tx,
    { ...admitted, id, payAmount, reference: `N${newReference(REFERENCE_CHARACTERS)}` },
    LIFE,
  );
  await saveKey(tx, admitted, id);
  return (await findAnnouncement(tx, id)) as Announcement;
}

async function reserve(tx: Tx, admitted: AdmittedAnnouncement, id: string): Promise<Minor> {
  const { patterns, amount, currency, memberId, isPatternShared } = admitted;
  await releaseOwnAmounts(tx, memberId, amount);
  const upTo = amount + BigInt(AMOUNT_STEPS) * smallestUnit(currency);
  const taken = new Set(await selectReservedAmounts(tx, patterns, amount, upTo));
  const free = pickDistinctAmount(amount, currency, { taken, isPatternShared });
  if (free === undefined) throw new Refusal('REQUEST_LIMIT', { detail: 'AMOUNT_TAKEN', retryAfterSeconds: 60 });
  await reserveAmount(tx, patterns, { id, payAmount: free }, LIFE);
  return free;
}

async function findKnown(
  { database }: AnnouncementDeps,
  memberId: string,
  key: string,
): Promise<StoredCommand<Announcement> | undefined> {
  const request = await findAnnouncementRequest(database, memberId, key);
  const row = request && (await findAnnouncement(database, request.announcementId));
  return row && { row, requestHash: request.requestHash };
}

async function saveKey(tx: Tx, admitted: AdmittedAnnouncement, announcementId: string): Promise<void> {
  const { memberId, key, requestHash } = admitted;
  if (key !== undefined) await insertAnnouncementRequest(tx, { memberId, key, requestHash, announcementId });
}
