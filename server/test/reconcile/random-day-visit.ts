import assert from 'node:assert/strict';
import { eventually } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { giveCoins } from '../spinwheel/wheel-world.ts';
import { type Day, doNamed, type Person } from './random-day.ts';
import { minorOf, emptyNotes } from './random-day-notes.ts';

const COINS = 60;
/** Minimum that earns every incentive. */
const DEPOSIT = '1000.00';

/**
 * A member who receives each incentive once at the end of the day, so that every cost account is used
 * whatever the random acts were.
 */
export async function visitCalmly(day: Day): Promise<void> {
  const { system } = day;
  const host = await newcomer(day, '');
  const guest = await newcomer(day, `PR${host.id}`);
  const params = { slotCode: 'pg' };
  const opened = await eventually(
    'an account at a game',
    () => day.call(guest, 'GET /api/wallet/activate/{slotCode}', { params }),
    ({ status }) => status === 200,
  );
  guest.games.push({ code: 'pg', username: opened.body.username });

  await payIn(day, guest);
  await received(day, guest, 'bonus');
  await lose(day, guest, 20);
  await received(day, guest, 'bonus given up');
  await payIn(day, guest);
  await received(day, guest, 'promotion');
  await lose(day, guest, 200);
  await received(day, guest, 'bonus given up');
  await received(day, guest, 'refund');
  await received(day, host, 'invite money');
  await giveCoins(system, guest.id, COINS);
  for (let turns = 0; guest.notes.granted.LUCKYDRAW.length === 0; turns += 1) {
    assert.ok(turns < COINS, 'some slice gives money');
    await received(day, guest, 'spin');
    await doNamed(day, guest, 'coupon');
  }
}

async function newcomer(day: Day, inviteCode: string): Promise<Person> {
  const member = await registerMember(day.system, { inviteCode, currency: 'BAHT' });
  const person: Person = { ...member, currency: 'BAHT', games: [], notes: emptyNotes() };
  day.people.push(person);
  return person;
}

/** Repeats a request until it succeeds: with these short timeouts the server refuses a slow game as silent. */
async function received(day: Day, person: Person, act: string): Promise<void> {
  await eventually(
    act,
    async () => {
      if (person.games.length > 0) await day.call(person, 'GET /api/wallet/refresh/slot');
      const { status, body } = await doNamed(day, person, act);
      return { status, body };
    },
    ({ status }) => status === 200,
  );
}

/** Loses an amount in a game, and refreshes it. */
async function lose(day: Day, person: Person, amount: number): Promise<void> {
  await eventually(
    'the money is in the game',
    async () => {
      const body = { from: 'WALLET', to: 'pg', amount };
      return (await day.call(person, 'POST /api/wallet/transfer', { body })).status;
    },
    (status) => status === 200,
  );
  const round = {
    params: { provider: 'pg', username: person.games[0]?.username ?? '' },
    body: { stake: amount.toFixed(2), win: '0.00' },
  };
  const { status } = await day.system.world('POST /games/{provider}/players/{username}/play', round);
  assert.equal(status, 200);
}

async function payIn({ system }: Day, person: Person): Promise<void> {
  const { bankCode, bankAccountNo: accountNo, bankAccountName: accountName, token } = person;
  const before = (await system.api('GET /api/wallet', { token })).body.wallet.amount;
  const from = { bankCode, accountNo, accountName };
  const body = { from, to: { bankCode: 'SCB', accountNo: '4680001234' }, amount: DEPOSIT };
  const sent = await system.world('POST /bank/transfer', { body });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  person.notes.paidIn += minorOf(DEPOSIT);
  await eventually(
    'the transfer is in the wallet',
    async () => {
      // A provider that was silent all day is only probed.
      await system.database.query('update deposit_feed set poll_at = now(), wakes = wakes + 1');
      return (await system.api('GET /api/wallet', { token })).body.wallet.amount as number;
    },
    (amount) => amount > before,
  );
}
