import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { audit, type Ledger } from '../../src/ledger/index.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  acceptedReply,
  type BankReply,
  type ControlledBank,
  PAYOUT_NOT_FOUND,
  type PayoutOrder,
  startControlledBank,
  statusReply,
} from './controlled-bank.ts';
import {
  makeInquiriesDue,
  readStatementWithdrawals,
  waitForState,
  waitForStateWithoutBackoff,
  readWithdrawalRow,
  withdraw,
} from './payout-fixtures.ts';

let system: System;
let ledger: Ledger;
let bank: ControlledBank;
before(async () => {
  bank = await startControlledBank();
  system = await startSystem({
    outside: (config) => ({ ...config, bank: { ...config.bank, url: bank.url, timeoutMs: 1_500 } }),
  });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
  await bank?.close();
});
beforeEach(() => {
  bank.send = acceptedReply;
  bank.inquire = () => PAYOUT_NOT_FOUND;
});

type WithdrawingMember = TestMember & { reference: string; free: string; held: string };

async function newWithdrawal(amount = 150): Promise<WithdrawingMember> {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '1000.00');
  const reply = await withdraw(system, member, amount);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { reference } = reply.body;
  return { ...member, reference, free: `${1000 - amount}.00`, held: `${amount}.00` };
}
const recordInquiry = (order: PayoutOrder | undefined, replyOf: (order: PayoutOrder) => BankReply): BankReply =>
  order ? replyOf(order) : PAYOUT_NOT_FOUND;

/** Inquiries continue, and the money stays held. */
async function assertStaysHeld({ id, reference, free, held }: WithdrawingMember, notePattern: RegExp): Promise<void> {
  await waitUntilResult(
    `${reference} keeps its money held`,
    async () => {
      await makeInquiriesDue(system);
      return readWithdrawalRow(system, reference);
    },
    ({ note: rowNote }) => notePattern.test(rowNote ?? ''),
  );
  assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free, held });
}
/** Waits until the withdrawal is closed, so that it does not block the next test. */
async function waitUntilPaid({ id, reference, free }: WithdrawingMember): Promise<void> {
  bank.inquire = (order) => recordInquiry(order, (payoutOrder) => statusReply(payoutOrder, 'PAID'));
  await waitForStateWithoutBackoff(system, reference, 'PAID');
  assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free, held: '0.00' });
}

/** One member per case, concurrently: the amount selects the case. */
const caseIndexOf = ({ amount }: PayoutOrder): number => Number(amount) - 101;

test('the payout order names receiver and amount, and its account is the registered one [R-WDR-02]', async () => {
  bank.inquire = (order) => recordInquiry(order, (payoutOrder) => statusReply(payoutOrder, 'PAID'));
  const member = await newWithdrawal();
  await waitForState(system, member.reference, 'PAID');
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

const UNPROVEN_REPLIES: [string, BankReply][] = [
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

test("a bank's undocumented reply proves nothing: the money stays held, and the bank is inquired [R-WDR-02]", async () => {
  bank.send = (order) => UNPROVEN_REPLIES[caseIndexOf(order)]?.[1] ?? acceptedReply(order);
  bank.inquire = () => ({ status: 500, body: '' });
  const withdrawingMembers = await Promise.all(UNPROVEN_REPLIES.map((_, index) => newWithdrawal(101 + index)));
  for (const [index, withdrawingMember] of withdrawingMembers.entries()) {
    await assertStaysHeld(withdrawingMember, /HTTP 500/);
    assert.equal(
      (await readWithdrawalRow(system, withdrawingMember.reference)).state,
      'UNKNOWN',
      UNPROVEN_REPLIES[index]?.[0],
    );
  }
  for (const asker of withdrawingMembers) await waitUntilPaid(asker);
});

const FALSE_REPLIES: [string, (order: PayoutOrder) => BankReply][] = [
  ['of another amount', (order) => statusReply(order, 'PAID', { amount: '15.00' })],
  ['in another currency', (order) => statusReply(order, 'PAID', { currency: 'LAK' })],
  ['to another account', (order) => statusReply(order, 'PAID', { to: { ...order.to, accountNo: '1111111111' } })],
  ['of another reference', (order) => statusReply(order, 'FAILED', { reference: 'WOTHER' })],
  ['in a state that was never agreed', (order) => statusReply(order, 'DONE')],
  ['as garbage', () => ({ status: 200, body: '{"status":' })],
  ['with an error of its own', () => ({ status: 404, body: { error: 'no_such_page' } })],
];

test('wrong bank reports about a payout neither settle nor return money [R-WDR-02]', async () => {
  bank.inquire = (order) =>
    recordInquiry(
      order,
      (payoutOrder) => FALSE_REPLIES[caseIndexOf(payoutOrder)]?.[1](payoutOrder) ?? PAYOUT_NOT_FOUND,
    );
  const withdrawingMembers = await Promise.all(FALSE_REPLIES.map((_, index) => newWithdrawal(101 + index)));
  for (const [index, withdrawingMember] of withdrawingMembers.entries()) {
    await assertStaysHeld(withdrawingMember, /another payout|not a payout|not JSON|no_such_page/);
    assert.equal(
      (await readStatementWithdrawals(system, withdrawingMember))[0]?.status,
      'PROCESSING',
      FALSE_REPLIES[index]?.[0],
    );
  }
  for (const asker of withdrawingMembers) await waitUntilPaid(asker);
});

test('a payout that the bank accepted and then does not know is not sent again [R-WDR-02]', async () => {
  const member = await newWithdrawal();
  let inquiryCount = 0;
  bank.inquire = () => {
    inquiryCount += 1;
    return PAYOUT_NOT_FOUND;
  };
  await waitUntilResult(
    'five questions more',
    async () => {
      await assertStaysHeld(member, /lost a payout/);
      return inquiryCount;
    },
    (madeInquiries) => madeInquiries >= 5,
  );
  assert.equal(bank.orders.filter(({ reference }) => reference === member.reference).length, 1);
  await waitUntilPaid(member);
});

test('a payout that the bank never received is sent again under the same reference; a refusal of that call is final [R-WDR-02]', async () => {
  bank.send = () => 'silence';
  const member = await newWithdrawal();
  await waitUntilResult(
    'a second order',
    async () => {
      await makeInquiriesDue(system);
      return bank.orders.filter(({ reference }) => reference === member.reference).length;
    },
    (sentCount) => sentCount >= 2,
  );
  const [first, second] = bank.orders.filter(({ reference }) => reference === member.reference);
  assert.deepEqual(second, first);
  bank.send = () => ({ status: 422, body: { error: 'closed', message: 'closed' } });
  await waitUntilResult(
    'the refusal',
    async () => {
      await makeInquiriesDue(system);
      return (await readWithdrawalRow(system, member.reference)).state;
    },
    (state) => state === 'FAILED',
  );
  assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '1000.00', held: '0.00' });
  const [statementEntry] = await readStatementWithdrawals(system, member);
  assert.deepEqual(
    [statementEntry?.status, statementEntry?.amount, statementEntry?.reason],
    ['FAILED', 0, 'ACCOUNT_CLOSED'],
  );
});

test('after all wrong bank reports every audit finds nothing', async () => {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});
