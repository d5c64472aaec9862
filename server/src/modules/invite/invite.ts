import { BASIS_POINTS, floorToStep, toBasisPoints } from '@krapao/contract/bonus-terms';
import type { Currency, Minor } from '@krapao/contract/money';
import { formatMemberCode, memberCodeOf } from '@krapao/contract/rules';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import type { GameModule } from '../game/index.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import { percentFailBelowSuccess, percent, type OperatorData } from '../operator-data/index.ts';

/** Operator setting: payment for the play of invitees. */
export const inviteSetting = {
  name: 'invite',
  shape: z
    .object({
      isActive: z.boolean(),
      /** Percentage of the invitees' play. */
      percent,
      percentSuccess: percent,
      percentFail: percent,
    })
    .refine(...percentFailBelowSuccess),
};
export type InviteProgramme = z.output<typeof inviteSetting.shape>;

/** An inviter's row; earnings are counted and paid in the inviter's currency. */
export type Inviter = {
  memberId: string;
  currency: Currency;
  /** Play that is not paid for yet, in minor units. */
  unclaimed: Minor;
  /** Rounding remainder of earlier payments, in ten-thousandths of a minor unit. */
  remainder: bigint;
  claims: number;
  /** True while a claim is stored but its credit is not confirmed. */
  isCrediting: boolean;
  /** True if the operator has blocked payments to this inviter. */
  isBlocked: boolean;
  lookedAt: Date;
};

/** An invitee of a member, and the inviter's earnings from their play. */
export type Invite = {
  memberId: string;
  createdAt: Date;
  /** Known play of the invitee, and the share of it that is paid for. */
  played: Minor;
  claimed: Minor;
  /** Amount paid for the claimed play, in ten-thousandths of a minor unit. */
  earned: bigint;
};

/** Maximum age of the known play of invitees before it is updated. */
export const TURNOVER_MAX_AGE_MS = 60_000;

const MEMBER_ID_CODE_PATTERN = /^PR([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i;

/** Parses an invite code: a member id with a prefix, or a short member code; undefined for other texts. */
export function parseInviteCode(code: string): { id: string } | { memberCode: string } | undefined {
  const id = MEMBER_ID_CODE_PATTERN.exec(code.replaceAll(/\s/g, ''))?.[1]?.toLowerCase();
  if (id !== undefined) return { id };
  const memberCode = memberCodeOf(code);
  return memberCode === undefined ? undefined : { memberCode };
}

const NAME_CHARACTERS_MAX = 24;
/** First spoken letter: skips Thai and Lao vowels that are written before their consonant. */
const INITIAL = /(?![\u0e40-\u0e44\u0ec0-\u0ec4])\p{L}/u;
/** Letters with their marks. A name with other characters may contain a phone number or an address. */
const PLAIN_WORD = /^[\p{L}\p{M}\u200b-\u200d'’-]+$/u;

/** How an inviter is named to people who aren't members: "Jane D.", or the member code if that isn't possible. */
export function inviterName({ name, memberCode }: { name: string; memberCode: string }): string {
  const [first = '', ...others] = name.trim().split(/\s+/);
  if (!PLAIN_WORD.test(first) || first.length > NAME_CHARACTERS_MAX) return formatMemberCode(memberCode);
  const initial = INITIAL.exec(others.at(-1) ?? '')?.[0];
  return initial === undefined ? first : `${first} ${initial}.`;
}

/** Amount that can be claimed for play, and the rounding remainder for the next claim. */
export function payableBonus(
  { unclaimed, remainder, currency }: Pick<Inviter, 'unclaimed' | 'remainder' | 'currency'>,
  percent: number,
): { amount: Minor; remainder: bigint } {
  const bonusBasisPoints = unclaimed * toBasisPoints(percent) + remainder;
  const amount = floorToStep(bonusBasisPoints / BASIS_POINTS, currency);
  return { amount, remainder: bonusBasisPoints - amount * BASIS_POINTS };
}

/** Amount that an invitee has earned for the inviter, claimed or not. */
export const earnedBonus = (
  { played, claimed, earned }: Pick<Invite, 'played' | 'claimed' | 'earned'>,
  percent: number,
  currency: Currency,
): Minor => floorToStep((earned + (played - claimed) * toBasisPoints(percent)) / BASIS_POINTS, currency);

/** Dependencies of the invite module. */
export type InviteDeps = {
  database: Database;
  ledger: Pick<Ledger, 'lossesAfter' | 'depositorsAmong'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'completeGrant'>;
  readOperatorData: () => Promise<OperatorData>;
  rateLimits: RateLimits;
  game: Pick<GameModule, 'turnoversOf'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};
