import assert from 'node:assert/strict';
import type { Ledger } from '../../src/ledger/index.ts';
import { openGame, play, transfer } from './games.ts';
import { type MemberChoices, registerMember, type TestMember } from './members.ts';
import { fund } from './money.ts';
import type { System } from './system.ts';

/** A game with one credit per baht: `pg` reports no turnover, `imi` does. */
export type PlainGame = 'pg' | 'imi';
export type Playing = TestMember & { game: PlainGame; username: string };

/** A new member with an account at a game. */
export async function newPlayer(system: System, game: PlainGame = 'pg', choices: MemberChoices = {}): Promise<Playing> {
  const member = await registerMember(system, { remember: true, ...choices });
  return { ...member, game, username: (await openGame(system, member.token, game)).username };
}

/** Deposits money for a member and transfers it to their game. */
export async function bringIn(system: System, ledger: Ledger, player: Playing, amount: number): Promise<void> {
  await fund(ledger, player.id, String(amount));
  await toGame(system, player, amount);
}

export async function toGame(system: System, { token, game }: Playing, amount: number): Promise<void> {
  const moved = await transfer(system, token, { from: 'WALLET', to: game, amount });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
}

/** Settled rounds at the game, seen by a refresh after each. */
export async function playOut(
  system: System,
  player: Playing,
  ...rounds: readonly { stake: number; win: number }[]
): Promise<void> {
  for (const { stake, win } of rounds) {
    await play(system, player.game, player.username, String(stake), String(win));
    await seen(system, player);
  }
}

/** A refresh: the ledger follows what the provider says. */
export async function seen(system: System, { token }: TestMember): Promise<void> {
  assert.equal((await system.api('GET /api/wallet/refresh/slot', { token })).status, 200);
}

/** What is free in the member's wallet, as they see it. */
export async function freeOf(system: System, { token }: TestMember): Promise<number> {
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

/** The job leaves what is not credited yet to the calls of the test. */
export async function leaveOpen({ database }: System): Promise<void> {
  await database.query(`update incentive_grant set leased_until = now() + interval '1 day' where state = 'OPEN'`);
}

/** How often and how much the house gave a member, of one kind of incentive. */
export async function givenTo(
  { database }: System,
  memberId: string,
  house: `cost:${string}`,
): Promise<{ times: number; amount: string }> {
  const { rows } = await database.query<{ times: number; amount: string }>(
    `select count(*)::int as times, coalesce(sum(o.amount), 0)::text as amount
       from ledger.operation o
       join ledger.account d on d.id = o.debit and d.kind = $2
       join ledger.account c on c.id = o.credit and c.member_id = $1
      where o.state = 'applied'`,
    [memberId, house],
  );
  return rows[0] as { times: number; amount: string };
}
