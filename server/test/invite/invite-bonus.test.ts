import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { eventually, openBet } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fund } from '../harness/money.ts';
import { freeOf, givenTo, leaveOpen, playOut, refuseCredits, seen, toGame } from '../harness/playing.ts';
import { assertRefused } from '../harness/refused.ts';
import {
  aMinuteLater,
  claim,
  codeOf,
  friendOf,
  invitesOf,
  type InviteWorld,
  inWallet,
  payingFriendOf,
  programme,
  startInvites,
} from './invite-world.ts';
import { closeWallet } from '../harness/operator.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

let world: InviteWorld;
before(async () => {
  world = await startInvites();
});
after(() => world?.close());
beforeEach(() => programme(world));

const newInviter = () => registerMember(world.system, { remember: true });
const lose = (friend: Awaited<ReturnType<typeof payingFriendOf>>, stake: number) =>
  playOut(world.system, friend, { stake, win: 0 });
const paidTo = ({ id }: { id: string }) => givenTo(world.system, id, 'cost:invite');

describe('money for the play of invitees', () => {
  test('each code has its situation: off, blocked, no invitee, nothing known of play, nothing new [R-HOME-09] [R-NET-06]', async () => {
    const inviter = await newInviter();
    await programme(world, { isActive: false });
    assertRefused(await claim(world, inviter), 'INVITE_INACTIVE', 'OFF');
    await programme(world);
    assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NO_INVITEE');
    const friend = await friendOf(world, inviter);
    assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
    await fund(world.ledger, friend.id, '1000');
    await toGame(world.system, friend, 1_000);
    assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
    await lose(friend, 0.09);
    assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    await lose(friend, 99.91);
    await world.system.database.query('insert into invite_blocked (member_id) values ($1)', [inviter.id]);
    assertRefused(await claim(world, inviter), 'INVITE_INACTIVE', 'INVITER_BLOCKED');
    assert.equal((await inWallet(world, inviter)).amount, 0);
    await world.system.database.query('delete from invite_blocked where member_id = $1', [inviter.id]);
    const { status, body } = await claim(world, inviter);
    assert.deepEqual([status, body.message, body.amount], [200, 'OK', 10]);
    assert.equal(await freeOf(world.system, inviter), 10);
    assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await paidTo(inviter), { times: 1, amount: '1000' });
  });

  test('the bonus follows the play of each: the turnover where the provider reports it, or else what was lost [R-INV-02]', async () => {
    const inviter = await newInviter();
    const paying = await payingFriendOf(world, inviter, 'imi');
    const silent = await payingFriendOf(world, inviter, 'pg');
    // A turnover of 300, whatever was won; losses of 100 less what was won back.
    await playOut(world.system, paying, { stake: 100, win: 150 }, { stake: 200, win: 0 });
    await playOut(world.system, silent, { stake: 60, win: 0 }, { stake: 10, win: 20 }, { stake: 50, win: 0 });
    aMinuteLater(world);
    assert.deepEqual(
      (await invitesOf(world, inviter)).invites.map(({ amount }) => amount),
      [10, 30],
    );
    assert.equal((await claim(world, inviter)).body.amount, 40);
    await playOut(world.system, paying, { stake: 50, win: 50 });
    assert.equal((await claim(world, inviter)).body.amount, 5);
    assert.deepEqual(
      (await invitesOf(world, inviter)).invites.map(({ amount }) => amount),
      [10, 35],
    );
    assert.deepEqual(await paidTo(inviter), { times: 2, amount: '4500' });
  });

  test('a turnover that goes down takes nothing back and is not paid twice when it comes up again [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter, 'imi');
    await playOut(world.system, friend, { stake: 500, win: 500 });
    assert.equal((await claim(world, inviter)).body.amount, 50);
    const tells = (turnover: bigint) =>
      world.system.database.query('update game_account set turnover = $2 where member_id = $1', [friend.id, turnover]);
    for (const turnover of [10_000n, 0n, 50_000n]) {
      await tells(turnover);
      assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    }
    await tells(50_100n);
    assert.equal((await claim(world, inviter)).body.amount, 0.1);
    assert.equal((await invitesOf(world, inviter)).invites[0]?.amount, 50.1);
  });

  test('a stake that is open or came back earns nothing where the provider reports no turnover, however often; nor does what is lost again [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    for (const _again of [1, 2]) {
      const takeBack = await openBet(world.system, 'pg', friend.username, '1000');
      await seen(world.system, friend);
      assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
      await takeBack();
      await seen(world.system, friend);
      assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
    }
    await lose(friend, 100);
    assert.equal((await claim(world, inviter)).body.amount, 10);
    await playOut(world.system, friend, { stake: 10, win: 110 });
    await lose(friend, 100);
    assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    await lose(friend, 1);
    assert.equal((await claim(world, inviter)).body.amount, 0.1);
  });

  test('money that the house gave is no deposit: play with it earns nothing until the invitee pays in [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await friendOf(world, inviter);
    const from = { house: 'cost:coupon' };
    const gift = {
      key: `test:gift:${friend.id}`,
      type: 'transfer',
      kind: 'bonus',
      reference: 'GIFT',
      actor: 'test',
    } as const;
    const credit = { member: friend.id, kind: 'WALLET' } as const;
    await world.ledger.post({ ...gift, memberId: friend.id, debit: from, credit, amount: 20_000n as never });
    await toGame(world.system, friend, 200);
    await lose(friend, 100);
    assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
    await fund(world.ledger, friend.id, '1');
    assert.equal((await claim(world, inviter)).body.amount, 10);
  });
});

describe('rounding and claims of invite money', () => {
  test('what rounding down leaves is paid with the next, and a change of the percentage holds for what was not claimed [R-INV-02]', async () => {
    await programme(world, { percent: 0.33 });
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 5);
    assert.equal((await claim(world, inviter)).body.amount, 0.01, 'of 0.0165');
    await lose(friend, 5);
    assert.equal((await claim(world, inviter)).body.amount, 0.02, 'of 0.0065 and 0.0165');
    await lose(friend, 100);
    await programme(world, { percent: 1 });
    assert.equal((await claim(world, inviter)).body.amount, 1);
    assert.equal((await invitesOf(world, inviter)).invites[0]?.amount, 1.03);
  });

  test('claims at once pay once, also while new play comes in [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 200);
    aMinuteLater(world);
    const all = () =>
      Promise.all(
        Array.from({ length: 30 }, () => world.system.api('GET /api/invite/bonus', { token: inviter.token })),
      );
    const replies = await all();
    const good = replies.filter(({ status }) => status === 200);
    assert.ok(good.length >= 1);
    // A claim while the first is being credited returns the same money.
    for (const { body } of good) assert.deepEqual(body, good[0]?.body);
    for (const reply of replies) if (reply.status !== 200) assertRefused(reply, 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await paidTo(inviter), { times: 1, amount: '2000' });
    aMinuteLater(world);
    await Promise.all([all(), lose(friend, 100)]);
    aMinuteLater(world);
    await all();
    assert.equal((await paidTo(inviter)).amount, '3000');
    assert.equal(await freeOf(world.system, inviter), 30);
  });

  test('a claim whose credit did not go through answers INVITE_BONUS_FAIL, stays in sight, and the next one finishes it [R-HOME-09] [R-NET-06]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 300);
    const allow = await refuseCredits(world.system);
    assertRefused(await claim(world, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    await leaveOpen(world.system);
    assertRefused(await claim(world, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    assert.deepEqual(await inWallet(world, inviter), { amount: 30, success: 150, fail: 10 });
    assert.equal(await freeOf(world.system, inviter), 0);
    await lose(friend, 100);
    aMinuteLater(world);
    await eventually(
      'the new play is seen',
      () => inWallet(world, inviter),
      ({ amount }) => amount === 40,
    );
    await allow();
    const { body } = await claim(world, inviter);
    assert.equal(body.amount, 30, 'what was claimed before');
    assert.equal((await claim(world, inviter)).body.amount, 10);
    assertRefused(await claim(world, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await paidTo(inviter), { times: 2, amount: '4000' });
    assert.equal((await inWallet(world, inviter)).amount, 0);
  });

  test('a claim that is credited without the member is looked for no more, and the wallet shows what is new [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 300);
    const allow = await refuseCredits(world.system);
    assertRefused(await claim(world, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    const { database } = world.system;
    const isLookedFor = async (): Promise<boolean | undefined> =>
      (
        await database.query<{ is: boolean }>('select is_crediting as is from invite_inviter where member_id = $1', [
          inviter.id,
        ])
      ).rows[0]?.is;
    assert.equal((await inWallet(world, inviter)).amount, 30);
    assert.equal(await isLookedFor(), true);
    await allow();
    await database.query('update incentive_grant set leased_until = now() where member_id = $1', [inviter.id]);
    await eventually(
      'the credit',
      () => freeOf(world.system, inviter),
      (free) => free === 30,
    );
    await eventually(
      'nothing is on its way',
      () => inWallet(world, inviter),
      ({ amount }) => amount === 0,
    );
    assert.equal(await isLookedFor(), false);
    await lose(friend, 100);
    assert.equal((await claim(world, inviter)).body.amount, 10);
    assert.deepEqual(await paidTo(inviter), { times: 2, amount: '4000' });
  });
});

describe('who receives money for the play of invitees', () => {
  test('the wallet shows what can be received and its condition, and the condition holds withdrawals back [R-INV-02]', async () => {
    const inviter = await newInviter();
    assert.deepEqual(await inWallet(world, inviter), { amount: 0, success: 150, fail: 10 });
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 1_000);
    aMinuteLater(world);
    await eventually(
      'the play is seen',
      () => inWallet(world, inviter),
      ({ amount }) => amount === 100,
    );
    assert.equal((await claim(world, inviter)).body.amount, 100);
    assert.equal((await inWallet(world, inviter)).amount, 0);
    assertRefused(await withdraw(world.system, inviter, 100), 'REFUND_CONDITION');
  });

  test('within a minute play is not looked at again, and of many invitees each has a turn [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await payingFriendOf(world, inviter);
    await lose(friend, 100);
    // More than one batch, all of them newer.
    await world.system.database.query(
      `with invitees as (
         insert into member (id, phone, name, password_hash, currency, source_code, created_at)
         select gen_random_uuid(), '77' || lpad(number::text, 8, '0'), 'Somjai', 'x', 'BAHT', 'FRIEND', now()
           from generate_series(1, 250) number returning id)
       insert into invite (inviter_id, member_id, currency, created_at) select $1, id, 'BAHT', now() from invitees`,
      [inviter.id],
    );
    let amount = 0;
    for (let look = 0; look < 3; look += 1) {
      aMinuteLater(world);
      amount = (await invitesOf(world, inviter)).invites.reduce((sum, one) => sum + one.amount, 0);
    }
    assert.equal((await inWallet(world, inviter)).amount, 10, JSON.stringify(amount));
    await lose(friend, 100);
    const { token } = inviter;
    assert.equal((await world.system.api('GET /api/invite/bonus', { token })).body.amount, 10, 'as it was known');
  });

  test('a member whose wallet is closed receives nothing [R-NET-06]', async () => {
    const inviter = await newInviter();
    await closeWallet(world.system, inviter);
    assertRefused(await claim(world, inviter), 'NO_WALLET', 'SUSPENDED');
  });

  test('play earns the inviter alone, not who invited the inviter [R-INV-02]', async () => {
    const first = await newInviter();
    const second = await payingFriendOf(world, first);
    const third = await payingFriendOf(world, second);
    await lose(third, 100);
    assertRefused(await claim(world, first), 'NO_INVITEE_PLAY_INFO');
    assert.equal((await claim(world, second)).body.amount, 10);
    assert.deepEqual((await invitesOf(world, third)).total, 0);
    assert.equal(codeOf(third).length, 38);
  });
});

test('an invitee of another currency earns nothing [R-INV-02]', async () => {
  const world = await startInvites({ variant: 'lao' });
  try {
    await programme(world);
    const inviter = await registerMember(world.system, { phone: '2055512345', currency: 'LAK', remember: true });
    const friend = await friendOf(world, inviter, 'pg', { phone: '2055512346', currency: 'BAHT' });
    await fund(world.ledger, friend.id, '1000', 'BAHT');
    await toGame(world.system, friend, 1_000);
    await playOut(world.system, friend, { stake: 500, win: 0 });
    assertRefused(await claim(world, inviter), 'NO_INVITEE_PLAY_INFO');
    assert.deepEqual((await invitesOf(world, inviter)).invites, [{ name: 'Somjai', amount: 0 }]);
  } finally {
    await world.close();
  }
});
