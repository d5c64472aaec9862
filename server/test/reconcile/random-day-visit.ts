import assert from 'node:assert/strict';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { giveCoins } from '../spinwheel/wheel-fixtures.ts';
import { parseMinor, emptyMoneyRecords } from './random-day-records.ts';
import { type RandomDay, runAct, type RandomMember } from './random-day.ts';

const COIN_COUNT = 60;
/** Minimum deposit that earns every incentive. */
const DEPOSIT_BAHT = '1000.00';

/**
 * A member who receives each incentive once at the end of the day, so that every cost account is used
 * whatever the random acts were.
 */
export async function receiveEveryIncentive(randomDay: RandomDay): Promise<void> {
  const { system } = randomDay;
  const host = await registerNewcomer(randomDay, '');
  const guest = await registerNewcomer(randomDay, `PR${host.id}`);
  const params = { slotCode: 'pg' };
  const activateReply = await waitUntilResult(
    'an account at a game',
    () => randomDay.call(guest, 'GET /api/wallet/activate/{slotCode}', { params }),
    ({ status }) => status === 200,
  );
  guest.games.push({ code: 'pg', username: activateReply.body.username });

  await depositByBank(randomDay, guest);
  await repeatActUntilSuccess(randomDay, guest, 'bonus');
  await loseInGame(randomDay, guest, 20);
  await repeatActUntilSuccess(randomDay, guest, 'bonus given up');
  await depositByBank(randomDay, guest);
  await repeatActUntilSuccess(randomDay, guest, 'promotion');
  await loseInGame(randomDay, guest, 200);
  await repeatActUntilSuccess(randomDay, guest, 'bonus given up');
  await repeatActUntilSuccess(randomDay, guest, 'refund');
  await repeatActUntilSuccess(randomDay, host, 'invite money');
  await giveCoins(system, guest.id, COIN_COUNT);
  for (let turnNumber = 0; guest.records.confirmedGrants.LUCKYDRAW.length === 0; turnNumber += 1) {
    assert.ok(turnNumber < COIN_COUNT, 'some slice gives money');
    await repeatActUntilSuccess(randomDay, guest, 'spin');
    await runAct(randomDay, guest, 'coupon');
  }
}

async function registerNewcomer(randomDay: RandomDay, inviteCode: string): Promise<RandomMember> {
  const member = await registerMember(randomDay.system, { inviteCode, currency: 'BAHT' });
  const user: RandomMember = { ...member, currency: 'BAHT', games: [], records: emptyMoneyRecords() };
  randomDay.members.push(user);
  return user;
}

/** Repeats a request until it succeeds: with these short timeouts the server refuses a slow game as silent. */
async function repeatActUntilSuccess(randomDay: RandomDay, member: RandomMember, actName: string): Promise<void> {
  await waitUntilResult(
    actName,
    async () => {
      if (member.games.length > 0) await randomDay.call(member, 'GET /api/wallet/refresh/slot');
      const { status, body } = await runAct(randomDay, member, actName);
      return { status, body };
    },
    ({ status }) => status === 200,
  );
}

/** Loses an amount in a game, and refreshes it. */
async function loseInGame(randomDay: RandomDay, member: RandomMember, amount: number): Promise<void> {
  await waitUntilResult(
    'the money is in the game',
    async () => {
      const body = { from: 'WALLET', to: 'pg', amount };
      return (await randomDay.call(member, 'POST /api/wallet/transfer', { body })).status;
    },
    (status) => status === 200,
  );
  const round = {
    params: { provider: 'pg', username: member.games[0]?.username ?? '' },
    body: { stake: amount.toFixed(2), win: '0.00' },
  };
  const { status } = await randomDay.system.simulatorsApi('POST /games/{provider}/players/{username}/play', round);
  assert.equal(status, 200);
}

async function depositByBank({ system }: RandomDay, member: RandomMember): Promise<void> {
  const { bankCode, bankAccountNo: accountNo, bankAccountName: accountName, token } = member;
  const before = (await system.api('GET /api/wallet', { token })).body.wallet.amount;
  const from = { bankCode, accountNo, accountName };
  const body = { from, to: { bankCode: 'SCB', accountNo: '4680001234' }, amount: DEPOSIT_BAHT };
  const transferReply = await system.simulatorsApi('POST /bank/transfer', { body });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  member.records.paidInTotal += parseMinor(DEPOSIT_BAHT);
  await waitUntilResult(
    'the transfer is in the wallet',
    async () => {
      // A provider that was silent all day is only probed.
      await system.database.query('update deposit_feed set poll_at = now(), wakes = wakes + 1');
      return (await system.api('GET /api/wallet', { token })).body.wallet.amount as number;
    },
    (amount) => amount > before,
  );
}
