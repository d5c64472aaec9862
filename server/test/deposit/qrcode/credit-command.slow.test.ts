import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import pg from 'pg';
import { createLedger, type Ledger } from '../../../src/ledger/index.ts';
import type { Qrcode } from '../../../src/modules/deposit/qrcode/qrcode.ts';
import { markEnded, upsertParkedPayment, requestInquiry } from '../../../src/modules/deposit/qrcode/queries.ts';
import { freshDatabase } from '../../harness/fresh-database.ts';
import { insertPlainMember } from '../../harness/plain-member.ts';
import {
  paymentCrediter,
  insertQrcode,
  paymentOf,
  readQrcode,
  readQrcodeOutcome,
  UNPAID_STATES,
  readWalletBalance,
} from './credit-books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const openLedger = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [openLedger(), openLedger()] as const;
const [ledger] = ledgers;
const credit = paymentCrediter(ledger);
const otherClient = new pg.Client({ connectionString: url });

before(() => otherClient.connect());
after(async () => {
  await otherClient.end();
  const violatedAudits = (await ledger.audit()).filter(({ violations }) => violations !== 0);
  await Promise.all(ledgers.map((ledger) => ledger.close()));
  await fresh.dropDatabase();
  assert.deepEqual(violatedAudits, []);
});

const newCode = async (columnOverrides?: Parameters<typeof insertQrcode>[2]): Promise<Qrcode> =>
  insertQrcode(database, await insertPlainMember(database), columnOverrides);
const readOutcome = (code: Qrcode) => readQrcodeOutcome(database, ledger, code);
const countBatches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

test("a credit commits the code's row and money together, from every state; the same payment again changes nothing", async () => {
  for (const state of UNPAID_STATES) {
    const code = await newCode({ state });
    const payment = paymentOf({ amount: minor(77n) });
    const before = await countBatches();
    assert.equal(await credit(code, payment, { isCalledBack: true }), 'CREDITED', state);
    assert.equal((await countBatches()) - before, 1);
    const expectedOutcome = {
      state: 'PAID',
      due: null,
      wakes: 1,
      paid: 77n,
      number: payment.transactionNumber,
      wallet: 77n,
    };
    assert.deepEqual(await readOutcome(code), expectedOutcome);
    assert.equal(await credit(code, payment), 'KNOWN');
    assert.deepEqual(await readOutcome(code), expectedOutcome);
  }
});

test('a second payment of a paid code, a number that paid another code, and another currency credit nothing', async () => {
  const [first, second] = [await newCode(), await newCode()];
  const payment = paymentOf();
  assert.equal(await credit(first, payment), 'CREDITED');
  const [firstOutcome, secondOutcome] = [await readOutcome(first), await readOutcome(second)];
  assert.equal(await credit(first, paymentOf()), 'PAID');
  assert.equal(await credit(first, { ...payment, amount: minor(99n) }), 'PAID');
  assert.equal(await credit(second, payment), 'TRANSACTION_NUMBER_REUSED');
  assert.equal(await credit(second, paymentOf({ currency: 'LAK' })), 'CURRENCY');
  assert.deepEqual([await readOutcome(first), await readOutcome(second)], [firstOutcome, secondOutcome]);
  // Transaction numbers are scoped to a gateway.
  assert.equal(await credit(await newCode({ gateway: 'BCEL' }), payment), 'CREDITED');
});

test('a payment number that the ledger knows for another deposit fails alone: others of the call are credited', async () => {
  const [wrongCode, rightCode] = [await newCode(), await newCode()];
  const payment = paymentOf();
  await ledger.post({
    key: `deposit:kbank:${payment.transactionNumber}`,
    type: 'transfer',
    kind: 'deposit',
    memberId: rightCode.memberId,
    debit: { houseAccount: 'gateway:kbank' },
    credit: { member: rightCode.memberId, kind: 'WALLET' },
    amount: minor(5n),
    reference: 'another',
    actor: 'test',
  });
  const wrongOutcome = await readOutcome(wrongCode);
  const [refusedCredit, acceptedCredit] = await Promise.allSettled([
    credit(wrongCode, payment),
    credit(rightCode, paymentOf()),
  ]);
  assert.match(String(refusedCredit.status === 'rejected' && refusedCredit.reason), /the ledger refused the credit/);
  assert.equal(acceptedCredit.status === 'fulfilled' && acceptedCredit.value, 'CREDITED');
  assert.deepEqual(await readOutcome(wrongCode), wrongOutcome);
});

test('a request for an inquiry that arrives during an inquiry stays due', async () => {
  const code = await newCode();
  assert.equal(await requestInquiry(database, code.gateway, code.reference), true);
  const payment = paymentOf();
  assert.equal(await credit(code, payment), 'CREDITED');
  const { transactionNumber: number } = payment;
  assert.deepEqual(await readOutcome(code), { state: 'PAID', due: true, wakes: 1, paid: 100n, number, wallet: 100n });
});

test('a payment parked as held by the gateway is settled in the commit that credits it', async () => {
  const code = await newCode();
  const parkedPayment = { gateway: code.gateway, reference: code.reference, evidence: '' };
  await upsertParkedPayment(database, { ...parkedPayment, reason: 'ON_HOLD' });
  await upsertParkedPayment(database, { ...parkedPayment, reason: 'TOLD_ANEW' });
  assert.equal(await credit(code, paymentOf()), 'CREDITED');
  const { rows } = await database.query(
    'select reason, settled_at is null as open from deposit_parked where reference = $1 order by reason',
    [code.reference],
  );
  assert.deepEqual(rows, [
    { reason: 'ON_HOLD', open: false },
    { reason: 'TOLD_ANEW', open: true },
  ]);
});

for (const table of ['qrcode', 'deposit_parked']) {
  test(`only its own credit waits for a row of ${table} that another transaction is changing`, async () => {
    const code = await newCode();
    await upsertParkedPayment(database, {
      gateway: code.gateway,
      reference: code.reference,
      reason: 'ON_HOLD',
      evidence: '',
    });
    await otherClient.query('begin');
    await otherClient.query(`select from ${table} where reference = $1 for update`, [code.reference]);
    const outcomes: string[] = [];
    const postCommand: Ledger['postCommand'] = async (command) => {
      const reply = await ledger.postCommand(command);
      outcomes.push(reply.outcome);
      if (outcomes.length === 1) {
        assert.equal(await credit(await newCode(), paymentOf()), 'CREDITED', 'another member');
        await otherClient.query('rollback');
      }
      return reply;
    };
    assert.equal(await paymentCrediter({ postCommand })(code, paymentOf()), 'CREDITED');
    assert.deepEqual(outcomes, ['row_locked', 'applied']);
  });
}

test('with repeatedly cut connections each payment is credited once, and its caller gets a reply', async () => {
  const cutLedger = openLedger();
  const codes = await Promise.all(Array.from({ length: 40 }, () => newCode()));
  let isOver = false;
  const cuttingConnections = (async () => {
    for (let cutNumber = 0; cutNumber < 6 && !isOver; cutNumber += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  const replies = await Promise.all(codes.map((code) => paymentCrediter(cutLedger)(code, paymentOf())));
  isOver = true;
  await cuttingConnections;
  await cutLedger.close();
  assert.deepEqual(
    [...new Set(replies)].filter((reply) => !['CREDITED', 'KNOWN'].includes(reply)),
    [],
  );
  const wallets = await Promise.all(codes.map(({ memberId }) => readWalletBalance(ledger, memberId)));
  assert.deepEqual(new Set(wallets), new Set([100n]));
});

type RandomAct = {
  ledgerIndex: 0 | 1;
  code: number;
  number: number;
  amount: 50 | 100;
  actName: 'credit' | 'wake' | 'cancel';
};
const arbitraryActs = fc.array(
  fc.record<RandomAct>({
    ledgerIndex: fc.constantFrom(0, 1),
    code: fc.nat(3),
    number: fc.nat(3),
    amount: fc.constantFrom(50, 100),
    actName: fc.constantFrom('credit', 'credit', 'credit', 'wake', 'cancel'),
  }),
  { minLength: 12, maxLength: 12 },
);

test('concurrent credits of few codes by few numbers over two lanes credit every code and number once', async () => {
  const reachedCases = new Set<string>();
  const runActs = async (randomValues: RandomAct[]): Promise<void> => {
    const codes = await Promise.all(UNPAID_STATES.slice(0, 4).map((state) => newCode({ state })));
    const payments = [50n, 100n].map((amount) => codes.map(() => paymentOf({ amount: minor(amount) })));
    const runAct = async ({ ledgerIndex, code: codeIndex, number, amount, actName }: RandomAct) => {
      const code = await readQrcode(database, codes[codeIndex]?.id ?? '');
      if (actName === 'wake') await requestInquiry(database, code.gateway, code.reference);
      if (actName === 'cancel') await markEnded(database, code.id, 'CANCELLED', null, 60_000);
      if (actName !== 'credit' || code.state === 'PAID') return undefined;
      const payment = { ...paymentOf(), ...payments[0]?.[number], amount: minor(BigInt(amount)) };
      const reply = await paymentCrediter(ledgers[ledgerIndex])(code, payment);
      reachedCases.add(reply);
      return { answer: reply, memberId: code.memberId, number, amount: BigInt(amount) };
    };
    // Four concurrently, then the next four.
    const outcomes: Awaited<ReturnType<typeof runAct>>[] = [];
    for (let from = 0; from < randomValues.length; from += 4)
      outcomes.push(...(await Promise.all(randomValues.slice(from, from + 4).map(runAct))));
    const creditedOutcomes = outcomes
      .filter((outcome) => outcome !== undefined)
      .filter(({ answer }) => answer === 'CREDITED');
    assert.equal(new Set(creditedOutcomes.map(({ number }) => number)).size, creditedOutcomes.length, 'a number once');
    for (const code of codes) {
      const ownOutcomes = creditedOutcomes.filter(({ memberId }) => memberId === code.memberId);
      assert.ok(ownOutcomes.length <= 1, 'a code once');
      const { state, paidAmount } = await readQrcode(database, code.id);
      assert.deepEqual([state === 'PAID', paidAmount], [ownOutcomes.length === 1, ownOutcomes[0]?.amount ?? null]);
      assert.equal(await readWalletBalance(ledger, code.memberId), ownOutcomes[0]?.amount ?? 0n);
      const replies = outcomes
        .filter((outcome) => outcome?.memberId === code.memberId)
        .map((outcome) => outcome?.answer);
      assert.equal(
        ownOutcomes.length === 1,
        replies.some((reply) => reply !== 'TRANSACTION_NUMBER_REUSED'),
      );
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryActs, { minLength: 5, maxLength: 5 }), async (actLists) => {
      await Promise.all(actLists.map(runActs));
    }),
    { seed: 20_261_123, numRuns: 20, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
  assert.deepEqual([...reachedCases].toSorted(), ['CREDITED', 'KNOWN', 'PAID', 'TRANSACTION_NUMBER_REUSED']);
});
