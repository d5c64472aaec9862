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
import { crediting, insertCode, payment, read, seen, UNPAID, walletOf } from './credit-books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const open = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [open(), open()] as const;
const [ledger] = ledgers;
const credit = crediting(ledger);
const other = new pg.Client({ connectionString: url });

before(() => other.connect());
after(async () => {
  await other.end();
  const violated = (await ledger.audit()).filter(({ violations }) => violations !== 0);
  await Promise.all(ledgers.map((one) => one.close()));
  await fresh.drop();
  assert.deepEqual(violated, []);
});

const newCode = async (how?: Parameters<typeof insertCode>[2]): Promise<Qrcode> =>
  insertCode(database, await insertPlainMember(database), how);
const look = (code: Qrcode) => seen(database, ledger, code);
const batches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

test('row and money are one commit, from every state; the same payment again changes nothing', async () => {
  for (const state of UNPAID) {
    const code = await newCode({ state });
    const paid = payment({ amount: minor(77n) });
    const before = await batches();
    assert.equal(await credit(code, paid, { isCalledBack: true }), 'CREDITED', state);
    assert.equal((await batches()) - before, 1);
    const written = { state: 'PAID', due: null, wakes: 1, paid: 77n, number: paid.transactionNumber, wallet: 77n };
    assert.deepEqual(await look(code), written);
    assert.equal(await credit(code, paid), 'KNOWN');
    assert.deepEqual(await look(code), written);
  }
});

test('another payment of a paid code, a number that has paid another code, and another currency credit nothing', async () => {
  const [first, second] = [await newCode(), await newCode()];
  const paid = payment();
  assert.equal(await credit(first, paid), 'CREDITED');
  const [firstSeen, secondSeen] = [await look(first), await look(second)];
  assert.equal(await credit(first, payment()), 'PAID');
  assert.equal(await credit(first, { ...paid, amount: minor(99n) }), 'PAID');
  assert.equal(await credit(second, paid), 'TRANSACTION_NUMBER_REUSED');
  assert.equal(await credit(second, payment({ currency: 'LAK' })), 'CURRENCY');
  assert.deepEqual([await look(first), await look(second)], [firstSeen, secondSeen]);
  // Transaction numbers are scoped to a gateway.
  assert.equal(await credit(await newCode({ gateway: 'BCEL' }), paid), 'CREDITED');
});

test('a number that the ledger knows for another deposit fails alone: the others of its call are credited', async () => {
  const [wrong, right] = [await newCode(), await newCode()];
  const paid = payment();
  await ledger.post({
    key: `deposit:kbank:${paid.transactionNumber}`,
    type: 'transfer',
    kind: 'deposit',
    memberId: right.memberId,
    debit: { house: 'gateway:kbank' },
    credit: { member: right.memberId, kind: 'WALLET' },
    amount: minor(5n),
    reference: 'another',
    actor: 'test',
  });
  const wrongSeen = await look(wrong);
  const [refused, credited] = await Promise.allSettled([credit(wrong, paid), credit(right, payment())]);
  assert.match(String(refused.status === 'rejected' && refused.reason), /the ledger refused the credit/);
  assert.equal(credited.status === 'fulfilled' && credited.value, 'CREDITED');
  assert.deepEqual(await look(wrong), wrongSeen);
});

test('a request for an inquiry that comes while the gateway is asked stays due', async () => {
  const code = await newCode();
  assert.equal(await requestInquiry(database, code.gateway, code.reference), true);
  const paid = payment();
  assert.equal(await credit(code, paid), 'CREDITED');
  const { transactionNumber: number } = paid;
  assert.deepEqual(await look(code), { state: 'PAID', due: true, wakes: 1, paid: 100n, number, wallet: 100n });
});

test('what was parked as held by the gateway is settled in the same commit', async () => {
  const code = await newCode();
  const parked = { gateway: code.gateway, reference: code.reference, evidence: '' };
  await upsertParkedPayment(database, { ...parked, reason: 'ON_HOLD' });
  await upsertParkedPayment(database, { ...parked, reason: 'TOLD_ANEW' });
  assert.equal(await credit(code, payment()), 'CREDITED');
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
  test(`a row of ${table} that another transaction is changing is waited for by its credit alone`, async () => {
    const code = await newCode();
    await upsertParkedPayment(database, {
      gateway: code.gateway,
      reference: code.reference,
      reason: 'ON_HOLD',
      evidence: '',
    });
    await other.query('begin');
    await other.query(`select from ${table} where reference = $1 for update`, [code.reference]);
    const outcomes: string[] = [];
    const postCommand: Ledger['postCommand'] = async (command) => {
      const reply = await ledger.postCommand(command);
      outcomes.push(reply.outcome);
      if (outcomes.length === 1) {
        assert.equal(await credit(await newCode(), payment()), 'CREDITED', 'another member');
        await other.query('rollback');
      }
      return reply;
    };
    assert.equal(await crediting({ postCommand })(code, payment()), 'CREDITED');
    assert.deepEqual(outcomes, ['row_locked', 'applied']);
  });
}

test('a connection that is cut again and again: each payment is credited once, and its caller is answered', async () => {
  const own = open();
  const codes = await Promise.all(Array.from({ length: 40 }, () => newCode()));
  let isOver = false;
  const cutting = (async () => {
    for (let cut = 0; cut < 6 && !isOver; cut += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  const answers = await Promise.all(codes.map((code) => crediting(own)(code, payment())));
  isOver = true;
  await cutting;
  await own.close();
  assert.deepEqual(
    [...new Set(answers)].filter((answer) => !['CREDITED', 'KNOWN'].includes(answer)),
    [],
  );
  const wallets = await Promise.all(codes.map(({ memberId }) => walletOf(ledger, memberId)));
  assert.deepEqual(new Set(wallets), new Set([100n]));
});

type Act = { lane: 0 | 1; code: number; number: number; amount: 50 | 100; act: 'credit' | 'wake' | 'cancel' };
const acts = fc.array(
  fc.record<Act>({
    lane: fc.constantFrom(0, 1),
    code: fc.nat(3),
    number: fc.nat(3),
    amount: fc.constantFrom(50, 100),
    act: fc.constantFrom('credit', 'credit', 'credit', 'wake', 'cancel'),
  }),
  { minLength: 12, maxLength: 12 },
);

test('concurrent credits of few codes by few numbers over two lanes: every code and every number is credited once', async () => {
  const met = new Set<string>();
  const live = async (drawn: Act[]): Promise<void> => {
    const codes = await Promise.all(UNPAID.slice(0, 4).map((state) => newCode({ state })));
    const payments = [50n, 100n].map((amount) => codes.map(() => payment({ amount: minor(amount) })));
    const perform = async ({ lane, code: place, number, amount, act }: Act) => {
      const code = await read(database, codes[place]?.id ?? '');
      if (act === 'wake') await requestInquiry(database, code.gateway, code.reference);
      if (act === 'cancel') await markEnded(database, code.id, 'CANCELLED', null, 60_000);
      if (act !== 'credit' || code.state === 'PAID') return undefined;
      const paid = { ...payment(), ...payments[0]?.[number], amount: minor(BigInt(amount)) };
      const answer = await crediting(ledgers[lane])(code, paid);
      met.add(answer);
      return { answer, memberId: code.memberId, number, amount: BigInt(amount) };
    };
    // Four concurrently, then the next four.
    const outcomes: Awaited<ReturnType<typeof perform>>[] = [];
    for (let from = 0; from < drawn.length; from += 4)
      outcomes.push(...(await Promise.all(drawn.slice(from, from + 4).map(perform))));
    const credited = outcomes.filter((one) => one !== undefined).filter(({ answer }) => answer === 'CREDITED');
    assert.equal(new Set(credited.map(({ number }) => number)).size, credited.length, 'a number once');
    for (const code of codes) {
      const own = credited.filter(({ memberId }) => memberId === code.memberId);
      assert.ok(own.length <= 1, 'a code once');
      const { state, paidAmount } = await read(database, code.id);
      assert.deepEqual([state === 'PAID', paidAmount], [own.length === 1, own[0]?.amount ?? null]);
      assert.equal(await walletOf(ledger, code.memberId), own[0]?.amount ?? 0n);
      const answers = outcomes.filter((one) => one?.memberId === code.memberId).map((one) => one?.answer);
      assert.equal(
        own.length === 1,
        answers.some((answer) => answer !== 'TRANSACTION_NUMBER_REUSED'),
      );
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 5 }), async (many) => {
      await Promise.all(many.map(live));
    }),
    { seed: 20_261_123, numRuns: 20, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
  assert.deepEqual([...met].toSorted(), ['CREDITED', 'KNOWN', 'PAID', 'TRANSACTION_NUMBER_REUSED']);
});
