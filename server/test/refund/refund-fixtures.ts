import assert from 'node:assert/strict';
import { LANGUAGE_COOKIE } from '@krapao/contract/languages';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { setSettings } from '../harness/operator.ts';
import { depositToWallet, newPlayer, type PlayingMember, playGameRound } from '../harness/playing-member.ts';
import { startSystem, type System } from '../harness/system.ts';

export type RefundSystem = { system: System; ledger: Ledger; clock: MovableClock; close(): Promise<void> };

const DAY_MS = 24 * 60 * 60_000;
/** Noon of a Thursday in Bangkok: 1970-01-01 was a Thursday, and Bangkok is seven hours ahead of UTC. */
const THURSDAY_NOON_MS = 5 * 60 * 60_000;

/** A system whose clock is at noon of a Thursday in Bangkok, so that no day or week ends during a test. */
export async function startRefundSystem(): Promise<RefundSystem> {
  const clock = movableClock();
  const msSinceThursday = (clock.now().getTime() - THURSDAY_NOON_MS) % (7 * DAY_MS);
  clock.advance(7 * DAY_MS - msSinceThursday);
  const system = await startSystem({ clock });
  const ledger = createTestLedger(system);
  return {
    system,
    ledger,
    clock,
    close: async () => {
      await ledger.close();
      await system.stop();
    },
  };
}

const DEFAULT_PROGRAMME = {
  isActive: true,
  period: 'week',
  percent: 5,
  maximum: { BAHT: '5000.00', LAK: '3000000.00' },
  minimum: { BAHT: '1.00', LAK: '1000.00' },
  floor: { BAHT: '100000.00', LAK: '10000.00' },
  percentSuccess: 200,
  percentFail: 10,
  info: { th: 'คืน {{percent}}%', la: 'ຄືນ {{percent}}%', en: '{{percent}}%, {{maximum}} at most, {{other}}' },
};

/** Sets the programme; the default values refuse nothing. */
export const setRefundSettings = (
  { system }: RefundSystem,
  changes: Partial<Record<keyof typeof DEFAULT_PROGRAMME, unknown>> = {},
) => setSettings(system, { refund: { ...DEFAULT_PROGRAMME, ...changes } });

/** Moves a member's money history to this time: all of it, or the part after another time. */
export async function moveHistoryTo(
  { system }: RefundSystem,
  memberId: string,
  moment: Date,
  afterMoment: Date = new Date(0),
): Promise<void> {
  await system.database.tx(async (tx) => {
    await tx.query('alter table ledger.entry disable trigger entry_append_only');
    await tx.query(
      `update ledger.entry e set at = $2 from ledger.account a
        where a.id = e.account_id and a.member_id = $1 and e.at > $3`,
      [memberId, moment, afterMoment],
    );
    await tx.query('alter table ledger.entry enable trigger entry_append_only');
  });
}

export type RefundCheck = {
  result: boolean;
  bonus: boolean;
  blockedBy: string | null;
  info: string;
  refundAmount: number;
  periodFrom: string;
  periodTo: string;
  unfinished: boolean;
  condition: { kind: string; target: number; floor: number; current: number } | null;
};

export async function readRefundCheck(
  { system }: RefundSystem,
  { token }: TestMember,
  language = 'EN',
): Promise<RefundCheck> {
  const reply = await system.api('GET /api/refund/check', {
    token,
    headers: { cookie: `${LANGUAGE_COOKIE}=${language}` },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** The middle of the claimable period. */
export async function lastPeriodMiddle(refundSystem: RefundSystem, member: TestMember): Promise<Date> {
  const { periodFrom, periodTo } = await readRefundCheck(refundSystem, member);
  return new Date((Date.parse(periodFrom) + Date.parse(periodTo)) / 2);
}

export const receiveRefund = ({ system }: RefundSystem, { token }: TestMember): Promise<ApiReply> =>
  system.api('GET /api/refund/receive', { token });

export const addRefundToWallet = ({ system }: RefundSystem, { token }: TestMember): Promise<ApiReply> =>
  system.api('GET /api/refund/addWallet', { token });

export async function readRefundAmounts({ system }: RefundSystem, { token }: TestMember): Promise<number[]> {
  const { body } = await system.api('POST /api/refund', { token, body: { page: 1, limit: 100 } });
  assert.equal(body.total, body.refunds.length);
  return body.refunds.map(({ refundAmount }: { refundAmount: number }) => refundAmount);
}

/** A member with this deposit and this loss in a game, in the middle of the last period. */
export async function memberWithLoss(
  refundSystem: RefundSystem,
  paidIn: number,
  lostAmount: number,
): Promise<PlayingMember> {
  const player = await newPlayer(refundSystem.system);
  await depositToWallet(refundSystem.system, refundSystem.ledger, player, paidIn);
  if (lostAmount !== 0) {
    await playGameRound(
      refundSystem.system,
      player,
      lostAmount > 0 ? { stake: lostAmount, win: 0 } : { stake: 1, win: 1 - lostAmount },
    );
  }
  await moveHistoryTo(refundSystem, player.id, await lastPeriodMiddle(refundSystem, player));
  return player;
}
