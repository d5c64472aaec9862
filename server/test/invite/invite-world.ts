import assert from 'node:assert/strict';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { MemberChoices, TestMember } from '../harness/members.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { ledgerOf } from '../harness/money.ts';
import { setSettings } from '../harness/operator.ts';
import { bringIn, newPlayer, type PlainGame, type Playing } from '../harness/playing.ts';
import { startSystem, type System, type SystemOptions } from '../harness/system.ts';

export type InviteWorld = { system: System; ledger: Ledger; clock: MovableClock; close(): Promise<void> };

export async function startInvites(options: SystemOptions = {}): Promise<InviteWorld> {
  const clock = movableClock();
  const system = await startSystem({ ...options, clock });
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

/** Sets the programme; default: a tenth of turnover. */
export const programme = (
  { system }: InviteWorld,
  changes: Partial<{ isActive: boolean; percent: number }> = {},
): Promise<void> =>
  setSettings(system, { invite: { isActive: true, percent: 10, percentSuccess: 150, percentFail: 10, ...changes } });

/** So much later that what is known of invitees may be refreshed. */
export const aMinuteLater = ({ clock }: InviteWorld): void => clock.advance(60_000);

/** Receives what is there, a minute after the last refresh. */
export async function claim(world: InviteWorld, { token }: TestMember): Promise<ApiReply> {
  aMinuteLater(world);
  return world.system.api('GET /api/invite/bonus', { token });
}

export const codeOf = ({ id }: TestMember): string => `PR${id}`;

/** A new member with an account at a game, invited by a code. */
export const friendOf = (
  { system }: InviteWorld,
  inviter: TestMember,
  game: PlainGame = 'pg',
  choices: MemberChoices = {},
): Promise<Playing> => newPlayer(system, game, { inviteCode: codeOf(inviter), ...choices });

/** The same with money of their own in the game. */
export async function payingFriendOf(
  world: InviteWorld,
  inviter: TestMember,
  game: PlainGame = 'pg',
): Promise<Playing> {
  const friend = await friendOf(world, inviter, game);
  await bringIn(world.system, world.ledger, friend, 1_000);
  return friend;
}

/** Whom a member has invited, newest first, and what each has earned. */
export async function invitesOf(
  { system }: InviteWorld,
  { token }: TestMember,
  page: { page: number; limit: number } = { page: 1, limit: 100 },
): Promise<{ total: number; invites: { name: string; amount: number }[] }> {
  const { status, body } = await system.api('POST /api/invite', { token, body: page });
  assert.equal(status, 200, JSON.stringify(body));
  const shown = body.invites.map((one: { from: { name: string }; amount: number }) => ({
    name: one.from.name,
    amount: one.amount,
  }));
  return { total: body.total, invites: shown };
}

/** What the wallet says of invite money. */
export async function inWallet(
  { system }: InviteWorld,
  { token }: TestMember,
): Promise<{ amount: number; success: number; fail: number }> {
  return (await system.api('GET /api/wallet', { token })).body.invite;
}
