import { type Minor, smallestUnit } from '@krapao/contract/money';
import { type Tx, violatedConstraint } from '../../../platform/database/database.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Member } from '../../../platform/http/caller.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import { hashRequest, type StoredCommand, type OpenedCommand, runIdempotent } from '../../../platform/idempotency.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import { countHit, type DepositAccount } from '../../operator-data/index.ts';
import { type BonusChoice, hashedChoice } from '../bonus-choice.ts';
import {
  countOpenAnnouncements,
  findAnnouncement,
  findAnnouncementRequest,
  findOpenAnnouncement,
  insertAnnouncement,
  insertAnnouncementRequest,
  saveBonusChoice,
  releaseOwnAmounts,
  lockMember,
  reserveAmount,
  selectReservedAmounts,
} from './announcement-queries.ts';
import {
  findAnnounceableAccounts,
  pickDistinctAmount,
  RESERVATION_GRACE_MS,
  findSingleHouseAccount,
  type Announcement,
  ANNOUNCEMENT_LIFETIME_MS,
  type AnnouncementRequest,
  OPEN_ANNOUNCEMENTS_MAX,
  parseAnnouncedAmount,
  DISTINCT_AMOUNTS_MAX,
} from './announcement.ts';
import { houseAccountOf, type BankTransferDeps } from './bank-transfer.ts';
import { visiblePattern, maskAccountNo, visibleDigits } from './match-sender.ts';

export type AnnouncementDeps = BankTransferDeps & {
  rateLimits: RateLimits;
  bonusChoice: BonusChoice;
};

const RESERVATION_DURATION = { lifeMs: ANNOUNCEMENT_LIFETIME_MS, graceMs: RESERVATION_GRACE_MS };

type AdmittedAnnouncement = Pick<Announcement, 'memberId' | 'houseAccount' | 'currency' | 'amount' | 'bonusCode'> & {
  patterns: string[];
  /** Whether another member has the same visible pattern at one of the accounts. */
  isPatternShared: boolean;
  key: string | undefined;
  requestHash: Buffer;
};

const REFERENCE_CHARACTERS = 12;

/**
 * Opens an announcement, or returns the open one of the same amount and account. The amount to send is the announced
 * one, or slightly more when another member has the same visible pattern.
 * @throws {Refusal} TRANSFER_MINIMUM, NO_BANK, NO_WALLET, KEY_INVALID, REQUEST_LIMIT, NO_PROMOTION, BONUS_CONDITION
 */
export async function openAnnouncement(
  deps: AnnouncementDeps,
  member: Member,
  request: AnnouncementRequest,
  key: string | undefined,
): Promise<Announcement> {
  const operatorData = await deps.readOperatorData();
  const accounts = findAnnounceableAccounts(request, operatorData.offeredMethods.depositAccounts, member.currency);
  const amount = parseAnnouncedAmount(request.amount, member.currency, accounts);
  const houseAccount = findSingleHouseAccount(accounts);
  const requestHash = hashRequest([houseAccount ?? '', String(amount), ...hashedChoice(request.bonus)]);
  let admitted: AdmittedAnnouncement | undefined;
  return runIdempotent<Announcement, Announcement>({
    key,
    requestHash,
    find: (usedKey) => findByRequestKey(deps, member.id, usedKey),
    open: async () => {
      // Checked and counted once, even when opening is retried. Replays are not counted.
      admitted ??= {
        bonusCode: await deps.bonusChoice.check(member.currency, request.bonus, amount),
        ...(await admitAnnouncement(deps, member, accounts)),
        memberId: member.id,
        houseAccount,
        currency: member.currency,
        amount,
        key,
        requestHash,
      };
      return attemptToOpen(deps, admitted);
    },
    toReply: (announcement) => announcement,
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
  const registeredAccount = await deps.account.bankAccountOf(deps.database, member.id);
  if (!registeredAccount) throw new Refusal('NO_BANK', { detail: 'NO_REGISTERED_ACCOUNT' });
  await countHit(deps, 'notice.member', member.id);
  return {
    patterns: accounts.map((account) => visiblePattern(houseAccountOf(account), registeredAccount)).toSorted(),
    isPatternShared: await isPatternShared(deps, member, registeredAccount, accounts.map(houseAccountOf)),
  };
}

async function isPatternShared(
  { database, account, readOperatorData }: AnnouncementDeps,
  member: Member,
  registeredAccount: { bankCode: string; accountNo: string },
  houseAccounts: readonly string[],
): Promise<boolean> {
  const { banks } = await readOperatorData();
  const bankNumber = banks.find(({ code }) => code === registeredAccount.bankCode)?.number ?? null;
  // Merged banks have the same number.
  const isSameBank = (bank: { code: string; number: string | null }): boolean =>
    bank.code === registeredAccount.bankCode || (bankNumber !== null && bank.number === bankNumber);
  const bankCodes = banks.filter(isSameBank).map(({ code }) => code);
  for (const houseAccount of houseAccounts) {
    const digitPattern = visibleDigits(maskAccountNo(houseAccount, registeredAccount.accountNo));
    if (digitPattern === undefined) continue;
    const holders = await account.findHolders(database, { bankCodes, digits: digitPattern, currency: member.currency });
    if (holders.some(({ memberId }) => memberId !== member.id)) return true;
  }
  return false;
}

// Returns undefined when a concurrent request took the amount or used the key; this transaction is rolled back.
async function attemptToOpen(
  deps: AnnouncementDeps,
  admitted: AdmittedAnnouncement,
): Promise<OpenedCommand<Announcement> | undefined> {
  try {
    return { row: await deps.database.tx((tx) => insertOrReuse(tx, deps, admitted)), isNew: true };
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'deposit_reserved_amount_once' || constraint === 'deposit_announcement_request_key')
      return undefined;
    throw error;
  }
}

async function insertOrReuse(tx: Tx, deps: AnnouncementDeps, admitted: AdmittedAnnouncement): Promise<Announcement> {
  // Without the lock, concurrent requests of a member would not find each other's announcement.
  await lockMember(tx, admitted.memberId);
  const existingAnnouncement = await findOpenAnnouncement(tx, admitted);
  if (existingAnnouncement) {
    await saveRequestKey(tx, admitted, existingAnnouncement.id);
    const { bonusCode } = admitted;
    if (existingAnnouncement.bonusCode === bonusCode) return existingAnnouncement;
    const isChanged = await saveBonusChoice(tx, existingAnnouncement, bonusCode);
    return isChanged ? { ...existingAnnouncement, bonusCode } : existingAnnouncement;
  }
  if ((await countOpenAnnouncements(tx, admitted.memberId)) >= OPEN_ANNOUNCEMENTS_MAX) {
    throw new Refusal('REQUEST_LIMIT', { detail: 'NOTICES_OPEN', retryAfterSeconds: ANNOUNCEMENT_LIFETIME_MS / 1_000 });
  }
  const id = uuidV7(deps.clock.now());
  const payAmount = await reserveDistinctAmount(tx, admitted, id);
  await insertAnnouncement(
    tx,
    { ...admitted, id, payAmount, reference: `N${newReference(REFERENCE_CHARACTERS)}` },
    RESERVATION_DURATION,
  );
  await saveRequestKey(tx, admitted, id);
  return (await findAnnouncement(tx, id)) as Announcement;
}

async function reserveDistinctAmount(tx: Tx, admitted: AdmittedAnnouncement, id: string): Promise<Minor> {
  const { patterns, amount, currency, memberId, isPatternShared } = admitted;
  await releaseOwnAmounts(tx, memberId, amount);
  const upperBound = amount + BigInt(DISTINCT_AMOUNTS_MAX) * smallestUnit(currency);
  const reservedAmounts = new Set(await selectReservedAmounts(tx, patterns, amount, upperBound));
  const payAmount = pickDistinctAmount(amount, currency, { reservedAmounts, isPatternShared });
  if (payAmount === undefined) throw new Refusal('REQUEST_LIMIT', { detail: 'AMOUNT_TAKEN', retryAfterSeconds: 60 });
  await reserveAmount(tx, patterns, { id, payAmount }, RESERVATION_DURATION);
  return payAmount;
}

async function findByRequestKey(
  { database }: AnnouncementDeps,
  memberId: string,
  key: string,
): Promise<StoredCommand<Announcement> | undefined> {
  const request = await findAnnouncementRequest(database, memberId, key);
  const row = request && (await findAnnouncement(database, request.announcementId));
  return row && { row, requestHash: request.requestHash };
}

async function saveRequestKey(tx: Tx, admitted: AdmittedAnnouncement, announcementId: string): Promise<void> {
  const { memberId, key, requestHash } = admitted;
  if (key !== undefined) await insertAnnouncementRequest(tx, { memberId, key, requestHash, announcementId });
}
