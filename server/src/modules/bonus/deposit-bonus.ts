import {
  type DepositBonusObstacle,
  depositBonusObstacles,
  type listDepositBonuses as listDepositBonusesEndpoint,
} from '@krapao/contract/endpoints/bonus';
import type { Unmet } from '@krapao/contract/errors';
import type { Language } from '@krapao/contract/languages';
import type { Minor } from '@krapao/contract/money';
import type { z } from 'zod';
import { Refusal } from '../../platform/errors.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { type Job } from '../../platform/jobs/job.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { dayStart, weekStart } from '../../platform/time.ts';
import type { MemberRef } from '../incentive/index.ts';
import { type BonusDeps, givesOn, type Offer, readCode, toWireBonus } from './bonus.ts';
import {
  claimDueBonuses,
  type DepositBonus,
  depositBonusWork,
  findReceiptOn,
  markBonusReceived,
  markBonusRefused,
  postponeBonus,
} from './deposit-bonus-queries.ts';
import { findClaimable, findOffered, selectOffers } from './queries.ts';
import { receiveOffer, unmetByNewDeposit } from './receive-offer.ts';

/**
 * Checks the bonus that a member chooses with a deposit.
 * @throws NO_PROMOTION (not on offer in this currency), BONUS_CONDITION (`detail` DEPOSIT_BELOW_MINIMUM)
 */
export async function checkChoice(
  { database, clock }: Pick<BonusDeps, 'database' | 'clock'>,
  currency: MemberRef['currency'],
  rawCode: string,
  amount?: Minor,
): Promise<string | null> {
  if (rawCode === '') return null;
  const code = readCode(rawCode);
  const offer = code && (await findOffered(database, { kind: 'BONUS', code, currency, now: clock.now() }));
  if (!offer) throw new Refusal('NO_PROMOTION');
  if (amount !== undefined && !givesOn(offer, amount))
    throw new Refusal('BONUS_CONDITION', { detail: 'DEPOSIT_BELOW_MINIMUM' });
  return offer.code;
}

type DepositBonuses = z.input<(typeof listDepositBonusesEndpoint.replies)[200]>;

/** Bonuses that the member could receive on a new deposit, from stored data. */
export async function listDepositBonuses(
  deps: BonusDeps,
  member: MemberRef,
  language: Language,
): Promise<DepositBonuses> {
  const { database, clock, incentive } = deps;
  const now = clock.now();
  const offers = await selectOffers(database, 'BONUS', member.currency, now);
  if (offers.length === 0) return { bonuses: [], obstacle: null };
  const eligibility = await incentive.eligibility(member.id);
  const periodStarts = { day: dayStart(now), week: weekStart(now) };
  const claimables = await Promise.all(
    offers.map(({ code }) =>
      findClaimable(database, member.id, { kind: 'BONUS', code, currency: member.currency, now }, periodStarts),
    ),
  );
  const offered = claimables.flatMap((claimable) =>
    claimable ? [{ offer: claimable.offer, unmet: unmetByNewDeposit(claimable, eligibility) }] : [],
  );
  const receivable = offered.filter(({ unmet }) => unmet.length === 0);
  return {
    bonuses: receivable.map(({ offer }) => toWireBonus(offer, language)),
    obstacle: receivable.length > 0 ? null : (findObstacle(offered) ?? null),
  };
}

/** The most important obstacle of the offers with claims left, or, without such offers, of the used-up ones. */
function findObstacle(offered: readonly { offer: Offer; unmet: readonly Unmet[] }[]): DepositBonusObstacle | undefined {
  const removable = offered.flatMap(({ offer: { type }, unmet }) => {
    const names = unmet.map(({ code, detail }) => depositBonusObstacles.find((name) => name === (detail ?? code)));
    const isLasting = names.includes(undefined) || (type === 'limit' && names.includes('BONUS_MAX_CLAIMED'));
    return isLasting ? [] : [names];
  });
  const unused = removable.filter((names) => !names.includes('BONUS_MAX_CLAIMED'));
  const names = (unused.length > 0 ? unused : removable).flat();
  return depositBonusObstacles.find((name) => names.includes(name));
}

/** How long a game without a reply delays a bonus; afterwards the member learns why it was not received. */
const SILENT_GAMES_MS = 15 * 60_000;
const RETRY_SECONDS = 5;

/**
 * Receives a chosen bonus on its credited deposit. Idempotent: a receipt by the member, or by an attempt before a crash,
 * is the outcome. A refused bonus leaves the deposit as it is.
 */
export async function receiveChosenBonus(deps: BonusDeps, chosen: DepositBonus): Promise<void> {
  const { database, ledger, log } = deps;
  const { creditKey, memberId, currency, code, deposit, ageMs } = chosen;
  const [operation] = await ledger.statementRows(memberId, { keys: [creditKey] });
  if (!operation) throw new Error(`the deposit ${deposit} has no row in the ledger`);
  const depositOperation = operation.operationId;
  try {
    // The language concerns a reply that is not sent.
    const selection = { kind: 'BONUS', code, language: 'en', depositOperation } as const;
    const { grant } = await receiveOffer(deps, { id: memberId, currency }, selection);
    await markBonusReceived(database, creditKey, grant.amount);
    log.info({ reference: deposit, code }, 'chosen bonus received');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const receipt = await findReceiptOn(database, memberId, depositOperation);
    if (receipt?.code === code) return markBonusReceived(database, creditKey, receipt.amount);
    const { code: reason, detail } = error;
    if (reason === 'REQUEST_LIMIT' || (detail === 'GAMES_SILENT' && ageMs < SILENT_GAMES_MS))
      return postponeBonus(database, chosen, RETRY_SECONDS);
    await markBonusRefused(database, chosen, { reason, detail });
    log.info({ reference: deposit, code, reason, detail }, 'chosen bonus refused');
  }
}

/** Bonuses that wait for the same providers. Low, because each claim queries games. */
const CONCURRENCY = 4;

/** Starts the worker that receives the chosen bonuses of credited deposits. */
export const startDepositBonuses = (deps: BonusDeps): Job =>
  startPollingWorker({
    name: 'receive chosen bonuses',
    concurrency: CONCURRENCY,
    claim: (share, inProgress) => claimDueBonuses(deps.database, share, inProgress),
    partitionsOf: ({ providers }) => [providers],
    handle: (chosen) => receiveChosenBonus(deps, chosen),
    failed: failedWork(deps.database, depositBonusWork),
    keyOf: ({ creditKey }) => creditKey,
    log: deps.log,
    failureMessage: 'chosen bonus not received',
    logFields: ({ deposit }) => ({ reference: deposit }),
  });
