import assert from 'node:assert/strict';
import { LANGUAGE_COOKIE } from '@krapao/contract/languages';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { ledgerOf } from '../harness/money.ts';
import { setSettings } from '../harness/operator.ts';
import { bringIn, newPlayer, type Playing, playOut } from '../harness/playing.ts';
import { startSystem, type System } from '../harness/system.ts';

export type RefundWorld = { system: System; ledger: Ledger; clock: MovableClock; close(): Promise<void> };

const DAY_MS = 24 * 60 * 60_000;
/** Of a Thursday in Bangkok: 1970 began with one, seven hours later. */
const THURSDAY_NOON_MS = 5 * 60 * 60_000;

/** A system on a Thursday at noon of Bangkok: no midnight and no Monday comes in between. */
export async function startRefunds(): Promise<RefundWorld> {
  const clock = movableClock();
  const sinceThursday = (clock.now().getTime() - THURSDAY_NOON_MS) % (7 * DAY_MS);
  clock.advance(7 * DAY_MS - sinceThursday);
  const system = await startSystem({ clock });
  const ledger = ledgerOf(system);
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

const PROGRAMME = {
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

/** Sets the programme; what is not named is generous, so that nothing else refuses. */
export const programme = ({ system }: RefundWorld, changes: Partial<Record<keyof typeof PROGRAMME, unknown>> = {}) =>
  setSettings(system, { refund: { ...PROGRAMME, ...changes } });

/** What a member's money has done so far was at that moment: all of it, or what was after another moment. */
export async function happenedAt(
  { system }: RefundWorld,
  memberId: string,
  moment: Date,
  after: Date = new Date(0),
): Promise<void> {
  await system.database.tx(async (tx) => {
    await tx.query('alter table ledger.entry disable trigger entry_append_only');
    await tx.query(
      `update ledger.entry e set at = $2 from ledger.account a
        where a.id = e.account_id and a.member_id = $1 and e.at > $3`,
      [memberId, moment, after],
    );
    await tx.query('alter table ledger.entry enable trigger entry_append_only');
  });
}

export type Check = {
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

export async function check({ system }: RefundWorld, { token }: TestMember, language = 'EN'): Promise<Check> {
  const reply = await system.api('GET /api/refund/check', {
    token,
    headers: { cookie: `${LANGUAGE_COOKIE}=${language}` },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** The middle of the period that can be received now. */
export async function lastPeriod(world: RefundWorld, member: TestMember): Promise<Date> {
  const { periodFrom, periodTo } = await check(world, member);
  return new Date((Date.parse(periodFrom) + Date.parse(periodTo)) / 2);
}

export const receive = ({ system }: RefundWorld, { token }: TestMember): Promise<ApiReply> =>
  system.api('GET /api/refund/receive', { token });

export const addToWallet = ({ system }: RefundWorld, { token }: TestMember): Promise<ApiReply> =>
  system.api('GET /api/refund/addWallet', { token });

export async function refundsOf({ system }: RefundWorld, { token }: TestMember): Promise<number[]> {
  const { body } = await system.api('POST /api/refund', { token, body: { page: 1, limit: 100 } });
  assert.equal(body.total, body.refunds.length);
  return body.refunds.map(({ refundAmount }: { refundAmount: number }) => refundAmount);
}

/** A member who put so much in and lost so much of it in a game, in the middle of the last period. */
export async function loser(world: RefundWorld, paidIn: number, lost: number): Promise<Playing> {
  const player = await newPlayer(world.system);
  await bringIn(world.system, world.ledger, player, paidIn);
  if (lost !== 0) {
    await playOut(world.system, player, lost > 0 ? { stake: lost, win: 0 } : { stake: 1, win: 1 - lost });
  }
  await happenedAt(world, player.id, await lastPeriod(world, player));
  return player;
}
