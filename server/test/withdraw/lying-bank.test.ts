import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { audit, type Ledger } from '../../src/ledger/index.ts';
import { eventually } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { accept, type Answer, type LyingBank, nothing, type Order, startLyingBank, tell } from './lying-bank.ts';
import { letTimePass, linesOf, reaches, reachesInTime, rowOf, withdraw } from './payout-fixtures.ts';

let system: System;
let ledger: Ledger;
let bank: LyingBank;
before(async () => {
  bank = await startLyingBank();
  system = await startSystem({
    outside: (same) => ({ ...same, bank: { ...same.bank, url: bank.url, timeoutMs: 1_500 } }),
  });
  ledger = ledgerOf(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
  await bank?.close();
});
beforeEach(() => {
  bank.send = accept;
  bank.inquire = () => nothing;
});

type Asker = TestMember & { reference: string; free: string; held: string };

async function ask(amount = 150): Promise<Asker> {
  const member = await registerMember(system);
  await fund(ledger, member.id, '1000.00');
  const reply = await withdraw(system, member, amount);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { reference } = reply.body;
  return { ...member, reference, free: `${1000 - amount}.00`, held: `${amount}.00` };
}
const asked = (order: Order | undefined, answer: (order: Order) => Answer): Answer => (order ? answer(order) : nothing);

/** Inquiries continue, and the money stays held. */
async function staysHeld({ id, reference, free, held }: Asker, note: RegExp): Promise<void> {
  await eventually(
    `${reference} keeps its money held`,
    async () => {
      await letTimePass(system);
      return rowOf(system, reference);
    },
    ({ note: said }) => note.test(said ?? ''),
  );
  assert.deepEqual(await balanceOf(ledger, id, 'WALLET'), { free, held });
}
/** Closes it, so that it does not block the next test. */
async function paidInTheEnd({ id, reference, free }: Asker): Promise<void> {
  bank.inquire = (order) => asked(order, (one) => tell(one, 'PAID'));
  await reachesInTime(system, reference, 'PAID');
  assert.deepEqual(await balanceOf(ledger, id, 'WALLET'), { free, held: '0.00' });
}

/** One member per case, concurrently: the amount selects the bank's case. */
const caseOf = ({ amount }: Order): number => Number(amount) - 101;

test('the order says who is paid and how much, and the account is the registered one [R-WDR-02]', async () => {
  bank.inquire = (order) => asked(order, (one) => tell(one, 'PAID'));
  const member = await ask();
  await reaches(system, member.reference, 'PAID');
  const { bankCode, bankAccountNo: accountNo, bankAccountName: accountName } = member;
  assert.deepEqual(
    bank.orders.findLast(({ reference }) => reference === member.reference),
    {
      reference: member.reference,
      from: { bankCode: 'SCB', accountNo: '4680001234' },
      to: { bankCode, accountNo, accountName },
      amount: '150.00',
      currency: 'THB',
    },
  );
});

const NO_PROOF: [string, Answer][] = [
  ['an acceptance of another payout', { status: 202, body: { reference: 'WOTHER', status: 'ACCEPTED' } }],
  ['an acceptance without a reference', { status: 202, body: { status: 'ACCEPTED' } }],
  ['a success of another kind', { status: 200, body: { status: 'PAID' } }],
  ['a refusal in words that were never agreed', { status: 422, body: { error: 'try_again' } }],
  ['a refusal with the status of another', { status: 400, body: { error: 'closed' } }],
  ['a key that it does not know', { status: 401, body: { error: 'unauthorized' } }],
  ['a reference that it takes for used', { status: 409, body: { error: 'reference_reused' } }],
  ['a page', { status: 200, body: '<html>please wait</html>' }],
  ['a redirect', { status: 302, body: '' }],
  ['a refusal that broke down', { status: 503, body: { error: 'closed' } }],
];

test('no answer but the agreed ones proves anything: the money stays held, and the bank is asked [R-WDR-02]', async () => {
  bank.send = (order) => NO_PROOF[caseOf(order)]?.[1] ?? accept(order);
  bank.inquire = () => ({ status: 500, body: '' });
  const askers = await Promise.all(NO_PROOF.map((_, index) => ask(101 + index)));
  for (const [index, asker] of askers.entries()) {
    await staysHeld(asker, /HTTP 500/);
    assert.equal((await rowOf(system, asker.reference)).state, 'UNKNOWN', NO_PROOF[index]?.[0]);
  }
  for (const asker of askers) await paidInTheEnd(asker);
});

const LIES: [string, (order: Order) => Answer][] = [
  ['of another amount', (order) => tell(order, 'PAID', { amount: '15.00' })],
  ['in another currency', (order) => tell(order, 'PAID', { currency: 'LAK' })],
  ['to another account', (order) => tell(order, 'PAID', { to: { ...order.to, accountNo: '1111111111' } })],
  ['of another reference', (order) => tell(order, 'FAILED', { reference: 'WOTHER' })],
  ['in a state that was never agreed', (order) => tell(order, 'DONE')],
  ['as garbage', () => ({ status: 200, body: '{"status":' })],
  ['with an error of its own', () => ({ status: 404, body: { error: 'no_such_page' } })],
];

test('wrong reports of the bank about a payout settle nothing and return nothing [R-WDR-02]', async () => {
  bank.inquire = (order) => asked(order, (one) => LIES[caseOf(one)]?.[1](one) ?? nothing);
  const askers = await Promise.all(LIES.map((_, index) => ask(101 + index)));
  for (const [index, asker] of askers.entries()) {
    await staysHeld(asker, /another payout|not a payout|not JSON|no_such_page/);
    assert.equal((await linesOf(system, asker))[0]?.status, 'PROCESSING', LIES[index]?.[0]);
  }
  for (const asker of askers) await paidInTheEnd(asker);
});

test('a payout that it accepted and then knows nothing of is not sent again [R-WDR-02]', async () => {
  const member = await ask();
  let inquiries = 0;
  bank.inquire = () => {
    inquiries += 1;
    return nothing;
  };
  await eventually(
    'five questions more',
    async () => {
      await staysHeld(member, /lost a payout/);
      return inquiries;
    },
    (made) => made >= 5,
  );
  assert.equal(bank.orders.filter(({ reference }) => reference === member.reference).length, 1);
  await paidInTheEnd(member);
});

test('one that it never got is sent again under the same reference, the same order, and refused is refused [R-WDR-02]', async () => {
  bank.send = () => 'silence';
  const member = await ask();
  await eventually(
    'a second order',
    async () => {
      await letTimePass(system);
      return bank.orders.filter(({ reference }) => reference === member.reference).length;
    },
    (sent) => sent >= 2,
  );
  const [first, second] = bank.orders.filter(({ reference }) => reference === member.reference);
  assert.deepEqual(second, first);
  bank.send = () => ({ status: 422, body: { error: 'closed', message: 'closed' } });
  await eventually(
    'the refusal',
    async () => {
      await letTimePass(system);
      return (await rowOf(system, member.reference)).state;
    },
    (state) => state === 'FAILED',
  );
  assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '1000.00', held: '0.00' });
  const [line] = await linesOf(system, member);
  assert.deepEqual([line?.status, line?.amount, line?.reason], ['FAILED', 0, 'ACCOUNT_CLOSED']);
});

test('after all wrong reports the ledger is right', async () => {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});
