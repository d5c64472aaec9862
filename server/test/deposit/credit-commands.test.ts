import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import pg from 'pg';
import { creditTransfer, moveToSuspense } from '../../src/modules/deposit/bank-transfer/credit-transfer.ts';
import type {
  IncomingTransfer,
  TransferIdentity,
  BankTransferDeps,
} from '../../src/modules/deposit/bank-transfer/bank-transfer.ts';
import { findTransfer, saveDecision, upsertTransfer } from '../../src/modules/deposit/bank-transfer/queries.ts';
import { CREDIT_OUTCOMES } from '../../src/modules/deposit/truelink/advance-gift.ts';
import { postDeposit } from '../../src/modules/deposit/post-deposit.ts';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { houseBalance } from '../../src/ledger/balances.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const open = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [open(), open()] as const;
const [ledger] = ledgers;
const other = new pg.Client({ connectionString: url });
const HOUSE = 'bank:SCB-1';

before(() => other.connect());
after(async () => {
  await other.end();
  const violated = (await ledger.audit()).filter(({ violations }) => violations !== 0);
  await Promise.all(ledgers.map((one) => one.close()));
  await fresh.drop();
  assert.deepEqual(violated, []);
});

/** A credit by an operator, which overrides the rules about senders. */
function depsOf(own: Pick<Ledger, 'postCommand'>): BankTransferDeps {
  const account = {
    memberById: async () => ({ currency: 'BAHT' }),
    bankAccountOf: async () => undefined,
  } as unknown as BankTransferDeps['account'];
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  return { database, ledger: own, account, log } as unknown as BankTransferDeps;
}
const deps = depsOf(ledger);

async function newArrival(amount = 100n): Promise<IncomingTransfer> {
  const identity: TransferIdentity = { sendingBank: '014', transRef: randomUUID() };
  const sender = { account: 'xxx', name: 'SOMCHAI' };
  const seen = { identity, house: HOUSE, currency: 'BAHT', amount: minor(amount), sender, reference1: null } as const;
  return upsertTransfer(database, randomUUID(), { ...seen, sentAt: new Date() }, true);
}

const credit = async (arrival: IncomingTransfer, memberId: string, own = deps): Promise<string> =>
  (await creditTransfer(own, { identity: arrival, memberId, via: 'operator:nok' })).outcome;

async function walletOf(memberId: string): Promise<bigint> {
  return (await ledger.balances(memberId)).find(({ kind }) => kind === 'WALLET')?.posted ?? 0n;
}
const rowOf = async (arrival: IncomingTransfer): Promise<IncomingTransfer> =>
  (await findTransfer(database, arrival)) as IncomingTransfer;
const batches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

async function newNotice(memberId: string, amount: bigint): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into deposit_notice (id, member_id, reference, house, currency, amount, pay_amount, expires_at, release_at)
     values ($1, $2, $3, '', 'BAHT', $4, $4, now() + interval '1 hour', now() + interval '2 hours')`,
    [id, memberId, id, amount],
  );
  return id;
}
const noticeState = async (id: string): Promise<string | undefined> =>
  (await database.query<{ state: string }>('select state from deposit_notice where id = $1', [id])).rows[0]?.state;

/** Runs work whose first command meets a row that another transaction keeps. */
async function whileLocked(
  lock: [sql: string, values: unknown[]],
  work: (own: Pick<Ledger, 'postCommand'>) => Promise<unknown>,
): Promise<string[]> {
  await other.query('begin');
  await other.query(...lock);
  const outcomes: string[] = [];
  await work({
    postCommand: async (command) => {
      const reply = await ledger.postCommand(command);
      outcomes.push(reply.outcome);
      if (outcomes.length === 1) await other.query('rollback');
      return reply;
    },
  });
  return outcomes;
}

test('a transfer and its notice are decided in the commit that posts the money; again changes nothing', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival(1_234n);
  const notice = await newNotice(member, 1_234n);
  const before = await batches();
  assert.equal(await credit(arrival, member), 'CREDITED');
  assert.equal((await batches()) - before, 1);
  assert.deepEqual([(await rowOf(arrival)).state, await noticeState(notice)], ['CREDITED', 'MATCHED']);
  assert.equal(await credit(arrival, member), 'ALREADY_THIS_MEMBER');
  assert.equal(await credit(arrival, await insertPlainMember(database)), 'ALREADY_OTHER');
  assert.equal(await walletOf(member), 1_234n);
});

test('suspense is row and money in one commit, and is credited out of suspense', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival(500n);
  const [house, suspense] = [
    await houseBalance(database, HOUSE, 'BAHT'),
    await houseBalance(database, 'suspense', 'BAHT'),
  ];
  const before = await batches();
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), true);
  assert.equal((await batches()) - before, 1);
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), false);
  const moved = async () => [
    (await houseBalance(database, HOUSE, 'BAHT')) - house,
    (await houseBalance(database, 'suspense', 'BAHT')) - suspense,
  ];
  assert.deepEqual(await moved(), [-500n, 500n]);
  // Read before it was moved to suspense: read again.
  assert.equal(await credit(arrival, member), 'CREDITED');
  assert.deepEqual(await moved(), [-500n, 0n]);
  assert.equal(await walletOf(member), 500n);
});

test('what an operator has decided is neither moved to suspense nor credited to another member', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival();
  assert.ok(await saveDecision(database, arrival.id, { memberId: member, via: 'operator:nok', note: 'why' }));
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), false);
  assert.equal(await credit(arrival, await insertPlainMember(database)), 'ALREADY_OTHER');
  assert.equal((await rowOf(arrival)).state, 'NEW');
  assert.equal(await credit(arrival, member), 'ALREADY_THIS_MEMBER');
  assert.equal(await walletOf(member), 100n);
});

test('a transfer or notice that another transaction is changing is waited for', async () => {
  const member = await insertPlainMember(database);
  const [first, second, third] = [await newArrival(), await newArrival(77n), await newArrival()];
  const notice = await newNotice(member, 77n);
  const row = (id: string, table = 'deposit_arrival'): [string, string[]] => [
    `select from ${table} where id = $1 for update`,
    [id],
  ];
  assert.deepEqual(await whileLocked(row(first.id), (own) => credit(first, member, depsOf(own))), [
    'row_locked',
    'applied',
  ]);
  assert.deepEqual(await whileLocked(row(notice, 'deposit_notice'), (own) => credit(second, member, depsOf(own))), [
    'row_locked',
    'applied',
  ]);
  assert.equal(await noticeState(notice), 'MATCHED');
  assert.deepEqual(await whileLocked(row(third.id), (own) => moveToSuspense(depsOf(own), third, 'NOBODY', [])), [
    'row_locked',
    'applied',
  ]);
});

async function newGift(memberId: string, state: string): Promise<{ id: string; hash: Buffer }> {
  const id = randomUUID();
  const hash = createHash('sha256').update(id).digest();
  await database.query(
    `insert into truelink_gift (id, hash_sha256, sealed_hash, member_id, reference, receiver, state, code, ended_at)
     values ($1, $2, '\\x00', $3, $4, $4, $5, case $5 when 'FAILED' then 'TRUELINK_INVALID' end,
             case $5 when 'FAILED' then now() end)`,
    [id, hash, memberId, id.slice(0, 12), state],
  );
  return { id, hash };
}

test('a gift is credited in one commit from the states that wait for its ticket, and from no other', async () => {
  for (const [state, outcome] of [
    ['REDEEMING', 'applied'],
    ['UNKNOWN', 'applied'],
    ['NEW', 'not_creditable'],
    ['MANUAL', 'not_creditable'],
    ['FAILED', 'not_creditable'],
  ] as const) {
    const member = await insertPlainMember(database);
    const { id, hash } = await newGift(member, state);
    const post = (amount: bigint, own: Pick<Ledger, 'postCommand'> = ledger) =>
      postDeposit(
        own,
        {
          key: `deposit:gift:${hash.toString('hex')}`,
          memberId: member,
          house: 'wallet-app',
          currency: 'BAHT',
          amount: minor(amount),
          reference: 'gift',
          actor: 'test',
        },
        {
          kind: 'gift_credit',
          outcomes: CREDIT_OUTCOMES,
          row: { id, from: ['REDEEMING', 'UNKNOWN'], amount: String(amount), voucher: 'v' },
        },
      );
    const before = await batches();
    const outcomes = await whileLocked(['select from truelink_gift where id = $1 for update', [id]], (own) =>
      post(50n, own),
    );
    assert.deepEqual(outcomes, ['row_locked', outcome], state);
    assert.equal((await batches()) - before, outcome === 'applied' ? 1 : 0);
    assert.equal(await walletOf(member), outcome === 'applied' ? 50n : 0n);
    if (outcome !== 'applied') continue;
    assert.deepEqual([await post(50n), await post(51n)], ['replayed', 'amount_conflict']);
    assert.equal(await walletOf(member), 50n);
  }
});

test('a connection that is cut again and again: each transfer is credited once, and its caller is answered', async () => {
  const own = open();
  const members = await Promise.all(Array.from({ length: 30 }, () => insertPlainMember(database)));
  let isOver = false;
  const cutting = (async () => {
    for (let cut = 0; cut < 6 && !isOver; cut += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  await Promise.all(
    members.map(async (member, index) => {
      const arrival = await newArrival();
      if (index % 2) await moveToSuspense(depsOf(own), arrival, 'NOBODY', []);
      assert.match(await credit(arrival, member, depsOf(own)), /^(CREDITED|ALREADY_THIS_MEMBER)$/);
    }),
  );
  isOver = true;
  await cutting;
  await own.close();
  assert.deepEqual(new Set(await Promise.all(members.map(walletOf))), new Set([100n]));
});

const ACTS = ['credit', 'credit', 'suspense', 'decide'] as const;
type Act = { lane: 0 | 1; arrival: number; member: number; act: (typeof ACTS)[number] };
const drawn = fc.array(
  fc.record<Act>({
    lane: fc.constantFrom(0, 1),
    arrival: fc.nat(2),
    member: fc.nat(1),
    act: fc.constantFrom(...ACTS),
  }),
  { minLength: 12, maxLength: 12 },
);

test('concurrent credits, suspense and decisions of few transfers over two lanes: each is one member’s, and paid once', async () => {
  const met = new Set<string>();
  const live = async (acts: Act[]): Promise<void> => {
    const members = await Promise.all([insertPlainMember(database), insertPlainMember(database)]);
    const arrivals = await Promise.all([1n, 20n, 300n].map(newArrival));
    const perform = async ({ lane, arrival: place, member, act }: Act): Promise<void> => {
      const [arrival, memberId] = [arrivals[place], members[member]];
      if (!arrival || memberId === undefined) return;
      const own = depsOf(ledgers[lane]);
      if (act === 'suspense') await moveToSuspense(own, arrival, 'NOBODY', []);
      else if (act === 'decide')
        await saveDecision(database, arrival.id, { memberId, via: 'operator:lek', note: 'why' });
      else met.add(await credit(arrival, memberId, own));
    };
    for (let from = 0; from < acts.length; from += 4) await Promise.all(acts.slice(from, from + 4).map(perform));
    const rows = await Promise.all(arrivals.map(rowOf));
    for (const memberId of members) {
      const own = rows.filter((row) => row.memberId === memberId && row.state === 'CREDITED');
      assert.equal(
        await walletOf(memberId),
        own.reduce((sum, { amount }) => sum + amount, 0n),
      );
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 5, maxLength: 5 }), async (many) => {
      await Promise.all(many.map(live));
    }),
    { seed: 20_261_123, numRuns: 8, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
  assert.deepEqual([...met].toSorted(), ['ALREADY_OTHER', 'ALREADY_THIS_MEMBER', 'CREDITED']);
  const { rows } = await database.query<{ state: string; amount: bigint }>(
    'select state, sum(amount)::bigint as amount from deposit_arrival group by state',
  );
  const sumOf = (...states: string[]) =>
    rows.filter(({ state }) => states.includes(state)).reduce((sum, { amount }) => sum + amount, 0n);
  assert.equal(await houseBalance(database, HOUSE, 'BAHT'), -sumOf('SUSPENSE', 'CREDITED'));
  assert.equal(await houseBalance(database, 'suspense', 'BAHT'), sumOf('SUSPENSE'));
});
