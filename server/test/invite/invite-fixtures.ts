import assert from 'node:assert/strict';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { MemberOptions, TestMember } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { setSettings } from '../harness/operator.ts';
import { depositToWallet, newPlayer, type PlainGame, type PlayingMember } from '../harness/playing-member.ts';
import { startSystem, type System, type SystemOptions } from '../harness/system.ts';

export type InviteSystem = { system: System; ledger: Ledger; clock: MovableClock; close(): Promise<void> };

export async function startInviteSystem(options: SystemOptions = {}): Promise<InviteSystem> {
  const clock = movableClock();
  const system = await startSystem({ ...options, clock });
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

/** Sets the programme; default: a tenth of turnover. */
export const setInviteSettings = (
  { system }: InviteSystem,
  changes: Partial<{ isActive: boolean; percent: number }> = {},
): Promise<void> =>
  setSettings(system, { invite: { isActive: true, percent: 10, percentSuccess: 150, percentFail: 10, ...changes } });

/** Advances the clock far enough that invitees' play is refreshed again. */
export const advanceOneMinute = ({ clock }: InviteSystem): void => clock.advance(60_000);

/** Claims the invite bonus, a minute after the last refresh. */
export async function claimInvite(inviteSystem: InviteSystem, { token }: TestMember): Promise<ApiReply> {
  advanceOneMinute(inviteSystem);
  return inviteSystem.system.api('GET /api/invite/bonus', { token });
}

export const inviteCodeOf = ({ id }: TestMember): string => `PR${id}`;

/** A new member with an account at a game, invited by a code. */
export const registerFriend = (
  { system }: InviteSystem,
  inviter: TestMember,
  game: PlainGame = 'pg',
  memberOptions: MemberOptions = {},
): Promise<PlayingMember> => newPlayer(system, game, { inviteCode: inviteCodeOf(inviter), ...memberOptions });

/** The same with money of their own in the game. */
export async function registerPayingFriend(
  inviteSystem: InviteSystem,
  inviter: TestMember,
  game: PlainGame = 'pg',
): Promise<PlayingMember> {
  const friend = await registerFriend(inviteSystem, inviter, game);
  await depositToWallet(inviteSystem.system, inviteSystem.ledger, friend, 1_000);
  return friend;
}

/** The member's invitees, newest first, with the amount earned by each. */
export async function listInvites(
  { system }: InviteSystem,
  { token }: TestMember,
  page: { page: number; limit: number } = { page: 1, limit: 100 },
): Promise<{ total: number; invites: { name: string; amount: number }[] }> {
  const { status, body } = await system.api('POST /api/invite', { token, body: page });
  assert.equal(status, 200, JSON.stringify(body));
  const shownInvites = body.invites.map((invite: { from: { name: string }; amount: number }) => ({
    name: invite.from.name,
    amount: invite.amount,
  }));
  return { total: body.total, invites: shownInvites };
}

/** Invite money in the wallet's reply. */
export async function readInviteMoney(
  { system }: InviteSystem,
  { token }: TestMember,
): Promise<{ amount: number; success: number; fail: number }> {
  return (await system.api('GET /api/wallet', { token })).body.invite;
}
