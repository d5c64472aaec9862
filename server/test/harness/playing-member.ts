import assert from 'node:assert/strict';
import type { Ledger } from '../../src/ledger/index.ts';
import { openGame, playRound, transfer } from './games.ts';
import { type MemberOptions, registerMember, type TestMember } from './members.ts';
import { fundWallet } from './money.ts';
import type { System } from './system.ts';

/** A game with one credit per baht: `pg` reports no turnover, `imi` does. */
export type PlainGame = 'pg' | 'imi';
export type PlayingMember = TestMember & { game: PlainGame; username: string };

/** A new member with an account at a game. */
export async function newPlayer(
  system: System,
  game: PlainGame = 'pg',
  memberOptions: MemberOptions = {},
): Promise<PlayingMember> {
  const member = await registerMember(system, { remember: true, ...memberOptions });
  return { ...member, game, username: (await openGame(system, member.token, game)).username };
}

/** Deposits money for a member and transfers it to their game. */
export async function depositToWallet(
  system: System,
  ledger: Ledger,
  player: PlayingMember,
  amount: number,
): Promise<void> {
  await fundWallet(ledger, player.id, String(amount));
  await transferToGame(system, player, amount);
}

export async function transferToGame(system: System, { token, game }: PlayingMember, amount: number): Promise<void> {
  const transferReply = await transfer(system, token, { from: 'WALLET', to: game, amount });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
}

/** Settled rounds at the game, seen by a refresh after each. */
export async function playGameRound(
  system: System,
  player: PlayingMember,
  ...rounds: readonly { stake: number; win: number }[]
): Promise<void> {
  for (const { stake, win } of rounds) {
    await playRound(system, player.game, player.username, String(stake), String(win));
    await refreshBalances(system, player);
  }
}

/** Refreshes the games: the ledger takes over the provider's balances. */
export async function refreshBalances(system: System, { token }: TestMember): Promise<void> {
  assert.equal((await system.api('GET /api/wallet/refresh/slot', { token })).status, 200);
}

/** The free amount in the member's wallet, as displayed. */
export async function readFreeAmount(system: System, { token }: TestMember): Promise<number> {
  return (await system.api('GET /api/wallet', { token })).body.wallet.amount;
}

/** The database refuses to write money of incentives down, until the returned is called. */
export async function refuseCredits({ database }: System): Promise<() => Promise<void>> {
  await database.query(
    `create function refuse_credit() returns trigger language plpgsql as $$ begin raise exception 'the disk is on fire'; end $$`,
  );
  await database.query(
    `create trigger refuse_credit before insert on ledger.operation for each row when (new.kind = 'bonus')
     execute function refuse_credit()`,
  );
  return async () => {
    await database.query('drop trigger refuse_credit on ledger.operation');
    await database.query('drop function refuse_credit');
  };
}

/** Postpones the job of open grants, so that only the test's calls credit them. */
export async function postponeOpenGrants({ database }: System): Promise<void> {
  await database.query(`update incentive_grant set leased_until = now() + interval '1 day' where state = 'OPEN'`);
}

/** Number and sum of a member's grants of one kind of incentive. */
export async function readGrantedAmounts(
  { database }: System,
  memberId: string,
  houseAccount: `cost:${string}`,
): Promise<{ times: number; amount: string }> {
  const { rows } = await database.query<{ times: number; amount: string }>(
    `select count(*)::int as times, coalesce(sum(o.amount), 0)::text as amount
       from ledger.operation o
       join ledger.account d on d.id = o.debit and d.kind = $2
       join ledger.account c on c.id = o.credit and c.member_id = $1
      where o.state = 'applied'`,
    [memberId, houseAccount],
  );
  return rows[0] as { times: number; amount: string };
}
