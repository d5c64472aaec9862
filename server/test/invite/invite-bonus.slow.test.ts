import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { waitUntilResult, openBet } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { fundWallet } from '../harness/money.ts';
import { closeWallet } from '../harness/operator.ts';
import {
  readFreeAmount,
  readGrantedAmounts,
  postponeOpenGrants,
  playGameRound,
  refuseCredits,
  refreshBalances,
  transferToGame,
} from '../harness/playing-member.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';
import {
  advanceOneMinute,
  claimInvite,
  inviteCodeOf,
  registerFriend,
  listInvites,
  type InviteSystem,
  readInviteMoney,
  registerPayingFriend,
  setInviteSettings,
  startInviteSystem,
} from './invite-fixtures.ts';

let inviteSystem: InviteSystem;
before(async () => {
  inviteSystem = await startInviteSystem();
});
after(() => inviteSystem?.close());
beforeEach(() => setInviteSettings(inviteSystem));

const newInviter = () => registerMember(inviteSystem.system, { remember: true });
const loseStake = (friend: Awaited<ReturnType<typeof registerPayingFriend>>, stake: number) =>
  playGameRound(inviteSystem.system, friend, { stake, win: 0 });
const readPaidTo = ({ id }: { id: string }) => readGrantedAmounts(inviteSystem.system, id, 'cost:invite');

describe('money for the play of invitees', () => {
  test('an invite bonus is refused with its own code: off, blocked, no invitee, unknown play, or nothing new [R-HOME-09] [R-NET-06]', async () => {
    const inviter = await newInviter();
    await setInviteSettings(inviteSystem, { isActive: false });
    assertRefused(await claimInvite(inviteSystem, inviter), 'INVITE_INACTIVE', 'OFF');
    await setInviteSettings(inviteSystem);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NO_INVITEE');
    const friend = await registerFriend(inviteSystem, inviter);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
    await fundWallet(inviteSystem.ledger, friend.id, '1000');
    await transferToGame(inviteSystem.system, friend, 1_000);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
    await loseStake(friend, 0.09);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    await loseStake(friend, 99.91);
    await inviteSystem.system.database.query('insert into invite_blocked (member_id) values ($1)', [inviter.id]);
    assertRefused(await claimInvite(inviteSystem, inviter), 'INVITE_INACTIVE', 'INVITER_BLOCKED');
    assert.equal((await readInviteMoney(inviteSystem, inviter)).amount, 0);
    await inviteSystem.system.database.query('delete from invite_blocked where member_id = $1', [inviter.id]);
    const { status, body } = await claimInvite(inviteSystem, inviter);
    assert.deepEqual([status, body.message, body.amount], [200, 'OK', 10]);
    assert.equal(await readFreeAmount(inviteSystem.system, inviter), 10);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await readPaidTo(inviter), { times: 1, amount: '1000' });
  });

  test("the invite bonus follows each invitee's turnover if the provider reports it, else the losses [R-INV-02]", async () => {
    const inviter = await newInviter();
    const payingFriend = await registerPayingFriend(inviteSystem, inviter, 'imi');
    const silentFriend = await registerPayingFriend(inviteSystem, inviter, 'pg');
    // A turnover of 300 at one provider; net losses of 100 at the other.
    await playGameRound(inviteSystem.system, payingFriend, { stake: 100, win: 150 }, { stake: 200, win: 0 });
    await playGameRound(
      inviteSystem.system,
      silentFriend,
      { stake: 60, win: 0 },
      { stake: 10, win: 20 },
      { stake: 50, win: 0 },
    );
    advanceOneMinute(inviteSystem);
    assert.deepEqual(
      (await listInvites(inviteSystem, inviter)).invites.map(({ amount }) => amount),
      [10, 30],
    );
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 40);
    await playGameRound(inviteSystem.system, payingFriend, { stake: 50, win: 50 });
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 5);
    assert.deepEqual(
      (await listInvites(inviteSystem, inviter)).invites.map(({ amount }) => amount),
      [10, 35],
    );
    assert.deepEqual(await readPaidTo(inviter), { times: 2, amount: '4500' });
  });

  test('a turnover that decreases takes nothing back and is not paid twice when it increases again [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter, 'imi');
    await playGameRound(inviteSystem.system, friend, { stake: 500, win: 500 });
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 50);
    const setTurnover = (turnover: bigint) =>
      inviteSystem.system.database.query('update game_account set turnover = $2 where member_id = $1', [
        friend.id,
        turnover,
      ]);
    for (const turnover of [10_000n, 0n, 50_000n]) {
      await setTurnover(turnover);
      assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    }
    await setTurnover(50_100n);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 0.1);
    assert.equal((await listInvites(inviteSystem, inviter)).invites[0]?.amount, 50.1);
  });

  test('without reported turnover, open or returned stakes and repeated losses of the same money earn nothing [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    for (const _again of [1, 2]) {
      const takeBack = await openBet(inviteSystem.system, 'pg', friend.username, '1000');
      await refreshBalances(inviteSystem.system, friend);
      assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
      await takeBack();
      await refreshBalances(inviteSystem.system, friend);
      assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
    }
    await loseStake(friend, 100);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 10);
    await playGameRound(inviteSystem.system, friend, { stake: 10, win: 110 });
    await loseStake(friend, 100);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    await loseStake(friend, 1);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 0.1);
  });

  test('granted money is not a deposit: play with it earns nothing until the invitee deposits [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerFriend(inviteSystem, inviter);
    const from = { houseAccount: 'cost:coupon' };
    const giftBody = {
      key: `test:gift:${friend.id}`,
      type: 'transfer',
      kind: 'bonus',
      reference: 'GIFT',
      actor: 'test',
    } as const;
    const credit = { member: friend.id, kind: 'WALLET' } as const;
    await inviteSystem.ledger.post({ ...giftBody, memberId: friend.id, debit: from, credit, amount: 20_000n as never });
    await transferToGame(inviteSystem.system, friend, 200);
    await loseStake(friend, 100);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
    await fundWallet(inviteSystem.ledger, friend.id, '1');
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 10);
  });
});

describe('rounding and claims of the invite bonus', () => {
  test('the rounded-off rest is paid with the next invite bonus, and a changed percentage applies to unclaimed play [R-INV-02]', async () => {
    await setInviteSettings(inviteSystem, { percent: 0.33 });
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 5);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 0.01, 'of 0.0165');
    await loseStake(friend, 5);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 0.02, 'of 0.0065 and 0.0165');
    await loseStake(friend, 100);
    await setInviteSettings(inviteSystem, { percent: 1 });
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 1);
    assert.equal((await listInvites(inviteSystem, inviter)).invites[0]?.amount, 1.03);
  });

  test('concurrent claims of an invite bonus pay once, also while new play is reported [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 200);
    advanceOneMinute(inviteSystem);
    const claimConcurrently = () =>
      Promise.all(
        Array.from({ length: 30 }, () => inviteSystem.system.api('GET /api/invite/bonus', { token: inviter.token })),
      );
    const replies = await claimConcurrently();
    const acceptedReplies = replies.filter(({ status }) => status === 200);
    assert.ok(acceptedReplies.length >= 1);
    // A claim while the first is being credited returns the same money.
    for (const { body } of acceptedReplies) assert.deepEqual(body, acceptedReplies[0]?.body);
    for (const reply of replies) if (reply.status !== 200) assertRefused(reply, 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await readPaidTo(inviter), { times: 1, amount: '2000' });
    advanceOneMinute(inviteSystem);
    await Promise.all([claimConcurrently(), loseStake(friend, 100)]);
    advanceOneMinute(inviteSystem);
    await claimConcurrently();
    assert.equal((await readPaidTo(inviter)).amount, '3000');
    assert.equal(await readFreeAmount(inviteSystem.system, inviter), 30);
  });

  test('an invite bonus whose credit fails returns INVITE_BONUS_FAIL, stays visible, and the next claim completes it [R-HOME-09] [R-NET-06]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 300);
    const allowCredits = await refuseCredits(inviteSystem.system);
    assertRefused(await claimInvite(inviteSystem, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    await postponeOpenGrants(inviteSystem.system);
    assertRefused(await claimInvite(inviteSystem, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    assert.deepEqual(await readInviteMoney(inviteSystem, inviter), { amount: 30, success: 150, fail: 10 });
    assert.equal(await readFreeAmount(inviteSystem.system, inviter), 0);
    await loseStake(friend, 100);
    advanceOneMinute(inviteSystem);
    await waitUntilResult(
      'the new play is seen',
      () => readInviteMoney(inviteSystem, inviter),
      ({ amount }) => amount === 40,
    );
    await allowCredits();
    const { body } = await claimInvite(inviteSystem, inviter);
    assert.equal(body.amount, 30, 'what was claimed before');
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 10);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITE_BONUS', 'NOTHING_NEW');
    assert.deepEqual(await readPaidTo(inviter), { times: 2, amount: '4000' });
    assert.equal((await readInviteMoney(inviteSystem, inviter)).amount, 0);
  });

  test('an invite bonus credited by the system is not claimed again, and the wallet shows only new play [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 300);
    const allowCredits = await refuseCredits(inviteSystem.system);
    assertRefused(await claimInvite(inviteSystem, inviter), 'INVITE_BONUS_FAIL', 'CREDIT_NOT_CONFIRMED');
    const { database } = inviteSystem.system;
    const isLookedFor = async (): Promise<boolean | undefined> =>
      (
        await database.query<{ is: boolean }>('select is_crediting as is from invite_inviter where member_id = $1', [
          inviter.id,
        ])
      ).rows[0]?.is;
    assert.equal((await readInviteMoney(inviteSystem, inviter)).amount, 30);
    assert.equal(await isLookedFor(), true);
    await allowCredits();
    await database.query('update incentive_grant set leased_until = now() where member_id = $1', [inviter.id]);
    await waitUntilResult(
      'the credit',
      () => readFreeAmount(inviteSystem.system, inviter),
      (freeAmount) => freeAmount === 30,
    );
    await waitUntilResult(
      'nothing is on its way',
      () => readInviteMoney(inviteSystem, inviter),
      ({ amount }) => amount === 0,
    );
    assert.equal(await isLookedFor(), false);
    await loseStake(friend, 100);
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 10);
    assert.deepEqual(await readPaidTo(inviter), { times: 2, amount: '4000' });
  });
});

describe('inviters with an invite bonus', () => {
  test('the wallet shows the available invite bonus and its condition, which blocks withdrawals [R-INV-02]', async () => {
    const inviter = await newInviter();
    assert.deepEqual(await readInviteMoney(inviteSystem, inviter), { amount: 0, success: 150, fail: 10 });
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 1_000);
    advanceOneMinute(inviteSystem);
    await waitUntilResult(
      'the play is seen',
      () => readInviteMoney(inviteSystem, inviter),
      ({ amount }) => amount === 100,
    );
    assert.equal((await claimInvite(inviteSystem, inviter)).body.amount, 100);
    assert.equal((await readInviteMoney(inviteSystem, inviter)).amount, 0);
    assertRefused(await withdraw(inviteSystem.system, inviter, 100), 'REFUND_CONDITION');
  });

  test('play is read at most once a minute, and of many invitees each has a turn [R-INV-02]', async () => {
    const inviter = await newInviter();
    const friend = await registerPayingFriend(inviteSystem, inviter);
    await loseStake(friend, 100);
    // More than one batch of newer invitees.
    await inviteSystem.system.database.query(
      `with invitees as (
         insert into member (id, phone, name, password_hash, currency, source_code, created_at)
         select gen_random_uuid(), '77' || lpad(number::text, 8, '0'), 'Somjai', 'x', 'BAHT', 'FRIEND', now()
           from generate_series(1, 250) number returning id)
       insert into invite (inviter_id, member_id, currency, created_at) select $1, id, 'BAHT', now() from invitees`,
      [inviter.id],
    );
    let amount = 0;
    for (let readNumber = 0; readNumber < 3; readNumber += 1) {
      advanceOneMinute(inviteSystem);
      amount = (await listInvites(inviteSystem, inviter)).invites.reduce((total, invite) => total + invite.amount, 0);
    }
    assert.equal((await readInviteMoney(inviteSystem, inviter)).amount, 10, JSON.stringify(amount));
    await loseStake(friend, 100);
    const { token } = inviter;
    const lookedAt = () =>
      inviteSystem.system.database.query('select looked_at from invite_inviter where member_id = $1', [inviter.id]);
    const { rows } = await lookedAt();
    inviteSystem.clock.advance(40_000);
    await listInvites(inviteSystem, inviter);
    assert.deepEqual((await lookedAt()).rows, rows);
    assert.equal(
      (await inviteSystem.system.api('GET /api/invite/bonus', { token })).body.amount,
      10,
      'as it was known',
    );
  });

  test('a member with a closed wallet receives no invite bonus [R-NET-06]', async () => {
    const inviter = await newInviter();
    await closeWallet(inviteSystem.system, inviter);
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_WALLET', 'SUSPENDED');
  });

  test("play earns the direct inviter alone, not the inviter's inviter [R-INV-02]", async () => {
    const first = await newInviter();
    const second = await registerPayingFriend(inviteSystem, first);
    const third = await registerPayingFriend(inviteSystem, second);
    await loseStake(third, 100);
    assertRefused(await claimInvite(inviteSystem, first), 'NO_INVITEE_PLAY_INFO');
    assert.equal((await claimInvite(inviteSystem, second)).body.amount, 10);
    assert.deepEqual((await listInvites(inviteSystem, third)).total, 0);
    assert.equal(inviteCodeOf(third).length, 38);
  });
});

test('the play of an invitee in another currency earns the inviter nothing [R-INV-02]', async () => {
  const inviteSystem = await startInviteSystem({ variant: 'lao' });
  try {
    await setInviteSettings(inviteSystem);
    const inviter = await registerMember(inviteSystem.system, { phone: '2055512345', currency: 'LAK', remember: true });
    const friend = await registerFriend(inviteSystem, inviter, 'pg', { phone: '2055512346', currency: 'BAHT' });
    await fundWallet(inviteSystem.ledger, friend.id, '1000', 'BAHT');
    await transferToGame(inviteSystem.system, friend, 1_000);
    await playGameRound(inviteSystem.system, friend, { stake: 500, win: 0 });
    assertRefused(await claimInvite(inviteSystem, inviter), 'NO_INVITEE_PLAY_INFO');
    assert.deepEqual((await listInvites(inviteSystem, inviter)).invites, [{ name: 'Somjai', amount: 0 }]);
  } finally {
    await inviteSystem.close();
  }
});
