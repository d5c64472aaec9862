import type { Currency, Minor } from '@krapao/contract/money';
import { memberCodeOf } from '@krapao/contract/rules';
import { z } from 'zod';
import { BASIS_POINTS, toBasisPoints, floorToStep, type IncentiveModule } from '../incentive/index.ts';
import { metAboveLost, percent, type SiteConfig } from '../lookup/index.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/index.ts';
import type { GameModule } from '../game/index.ts';

/** What the operator pays for the play of invitees. */
export const inviteSetting = {
  name: 'invite',
  shape: z
    .object({
      isActive: z.boolean(),
      /** Of what invited friends play. */
      percent,
      percentSuccess: percent,
      percentFail: percent,
    })
    .refine(...metAboveLost),
};
export type InviteProgramme = z.output<typeof inviteSetting.shape>;

/** What an inviter's row says. */
export type Inviter = {
  memberId: string;
  currency: Currency;
  /** Play that nothing was paid for yet, in minor units. */
  unclaimed: Minor;
  /** What rounding left of what was paid so far, in ten-thousandths of a minor unit. */
  remainder: bigint;
  /** How often it was claimed. */
  claims: number;
  /** A claim is stored but not yet known to be credited. */
  isCrediting: boolean;
  /** By the operator's word nothing is paid to them. */
  isBlocked: boolean;
  lookedAt: Date;
};

/** The invitees of a member, and the earnings so far. */
export type Invite = {
  memberId: string;
  createdAt: Date;
  /** What they have played as far as it is known, and how much of it was paid for. */
  played: Minor;
  claimed: Minor;
  /** What was paid for that, in ten-thousandths of a minor unit. */
  earned: bigint;
};

/** Maximum age of the known play of invitees before it is updated. */
export const TURNOVER_MAX_AGE_MS = 60_000;

const CODE = /^PR([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i;

/** Whose code it is, as far as its form shows: a member's id behind the prefix, or a short code; undefined for any other. */
export function parseInviteCode(code: string): { id: string } | { memberCode: string } | undefined {
  const id = CODE.exec(code.replaceAll(/\s/g, ''))?.[1]?.toLowerCase();
  if (id !== undefined) return { id };
  const memberCode = memberCodeOf(code);
  return memberCode === undefined ? undefined : { memberCode };
}

/** What can be claimed for play, and what rounding down leaves for the next time. */
export function payableBonus(
  { unclaimed, remainder, currency }: Pick<Inviter, 'unclaimed' | 'remainder' | 'currency'>,
  percent: number,
): { amount: Minor; remainder: bigint } {
  const parts = unclaimed * toBasisPoints(percent) + remainder;
  const amount = floorToStep(parts / BASIS_POINTS, currency);
  return { amount, remainder: parts - amount * BASIS_POINTS };
}

/** What an invitee has earned their inviter so far, whether it was claimed or not. */
export const earnedBonus = (
  { played, claimed, earned }: Pick<Invite, 'played' | 'claimed' | 'earned'>,
  percent: number,
  currency: Currency,
): Minor => floorToStep((earned + (played - claimed) * toBasisPoints(percent)) / BASIS_POINTS, currency);

/** What the use cases of `invite` work with. */
export type InviteDeps = {
  database: Database;
  ledger: Pick<Ledger, 'lossesAfter' | 'depositorsAmong'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'finish'>;
  operatorData: () => Promise<SiteConfig>;
  game: Pick<GameModule, 'turnoversOf'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};
