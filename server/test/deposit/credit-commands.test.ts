import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import fc from 'fast-check';
import pg from 'pg';
import { houseAccountBalance } from '../../src/ledger/balances.ts';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import type {
  IncomingTransfer,
  TransferIdentity,
  BankTransferDeps,
} from '../../src/modules/deposit/bank-transfer/bank-transfer.ts';
import { creditTransfer, moveToSuspense } from '../../src/modules/deposit/bank-transfer/credit-transfer.ts';
import { findTransfer, saveDecision, upsertTransfer } from '../../src/modules/deposit/bank-transfer/queries.ts';
import { postDeposit } from '../../src/modules/deposit/post-deposit.ts';
import { CREDIT_OUTCOMES } from '../../src/modules/deposit/truelink/advance-gift.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { insertPlainMember } from '../harness/plain-member.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const openLedger = (): Ledger => createLedger({ url, database, currency: 'BAHT' });
const ledgers = [openLedger(), openLedger()] as const;
const [ledger] = ledgers;
const otherClient = new pg.Client({ connectionString: url });
const HOUSE_ACCOUNT = 'bank:SCB-1';

before(() => otherClient.connect());
after(async () => {
  await otherClient.end();
  const violatedAudits = (await ledger.audit()).filter(({ violations }) => violations !== 0);
  await Promise.all(ledgers.map((ledger) => ledger.close()));
  await fresh.dropDatabase();
  assert.deepEqual(violatedAudits, []);
});

/** A credit by an operator, which overrides the rules about senders. */
function createTransferDeps(ledger: Pick<Ledger, 'postCommand'>): BankTransferDeps {
  const account = {
    memberById: async () => ({ currency: 'BAHT' }),
    bankAccountOf: async () => undefined,
  } as unknown as BankTransferDeps['account'];
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  return { database, ledger, account, log } as unknown as BankTransferDeps;
}
const deps = createTransferDeps(ledger);

async function newArrival(amount = 100n): Promise<IncomingTransfer> {
  const transferIdentity: TransferIdentity = { sendingBank: '014', transRef: randomUUID() };
  const sender = { account: 'xxx', name: 'SOMCHAI' };
  const seenTransfer = {
    identity: transferIdentity,
    houseAccount: HOUSE_ACCOUNT,
    currency: 'BAHT',
    amount: minor(amount),
    sender,
    reference1: null,
  } as const;
  return upsertTransfer(database, randomUUID(), { ...seenTransfer, sentAt: new Date() }, true);
}

const creditArrival = async (arrival: IncomingTransfer, memberId: string, bankTransferDeps = deps): Promise<string> =>
  (await creditTransfer(bankTransferDeps, { identity: arrival, memberId, via: 'operator:nok' })).outcome;

async function walletOf(memberId: string): Promise<bigint> {
  return (await ledger.balances(memberId)).find(({ kind }) => kind === 'WALLET')?.posted ?? 0n;
}
const readArrivalRow = async (arrival: IncomingTransfer): Promise<IncomingTransfer> =>
  (await findTransfer(database, arrival)) as IncomingTransfer;
const countBatches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

async function newAnnouncement(memberId: string, amount: bigint): Promise<string> {
  const id = randomUUID();
  await database.query(
    `insert into deposit_announcement (id, member_id, reference, house_account, currency, amount, pay_amount, expires_at, release_at)
     values ($1, $2, $3, null, 'BAHT', $4, $4, now() + interval '1 hour', now() + interval '2 hours')`,
    [id, memberId, id, amount],
  );
  return id;
}
const readAnnouncementState = async (id: string): Promise<string | undefined> =>
  (await database.query<{ state: string }>('select state from deposit_announcement where id = $1', [id])).rows[0]
    ?.state;

/** Runs an action whose first command meets a row locked by another transaction. */
async function runWhileLocked(
  lock: [sql: string, values: unknown[]],
  action: (ledger: Pick<Ledger, 'postCommand'>) => Promise<unknown>,
): Promise<string[]> {
  await otherClient.query('begin');
  await otherClient.query(...lock);
  const outcomes: string[] = [];
  await action({
    postCommand: async (command) => {
      const reply = await ledger.postCommand(command);
      outcomes.push(reply.outcome);
      if (outcomes.length === 1) await otherClient.query('rollback');
      return reply;
    },
  });
  return outcomes;
}

test('a transfer and its announcement are decided in the commit that posts the money; a repetition changes nothing', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival(1_234n);
  const announcement = await newAnnouncement(member, 1_234n);
  const before = await countBatches();
  assert.equal(await creditArrival(arrival, member), 'credited');
  assert.equal((await countBatches()) - before, 1);
  assert.deepEqual(
    [(await readArrivalRow(arrival)).state, await readAnnouncementState(announcement)],
    ['CREDITED', 'MATCHED'],
  );
  assert.equal(await creditArrival(arrival, member), 'already_this_member');
  assert.equal(await creditArrival(arrival, await insertPlainMember(database)), 'already_other');
  assert.equal(await walletOf(member), 1_234n);
});

test('suspense commits row and money together, and a later credit takes the money out of suspense', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival(500n);
  const [houseAccount, suspenseAccount] = [
    await houseAccountBalance(database, HOUSE_ACCOUNT, 'BAHT'),
    await houseAccountBalance(database, 'suspense', 'BAHT'),
  ];
  const before = await countBatches();
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), true);
  assert.equal((await countBatches()) - before, 1);
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), false);
  const readMoved = async () => [
    (await houseAccountBalance(database, HOUSE_ACCOUNT, 'BAHT')) - houseAccount,
    (await houseAccountBalance(database, 'suspense', 'BAHT')) - suspenseAccount,
  ];
  assert.deepEqual(await readMoved(), [-500n, 500n]);
  // The arrival was read before it moved to suspense, so the command reads it again.
  assert.equal(await creditArrival(arrival, member), 'credited');
  assert.deepEqual(await readMoved(), [-500n, 0n]);
  assert.equal(await walletOf(member), 500n);
});

test('a transfer decided by an operator is neither moved to suspense nor credited to another member', async () => {
  const member = await insertPlainMember(database);
  const arrival = await newArrival();
  assert.ok(await saveDecision(database, arrival.id, { memberId: member, via: 'operator:nok', note: 'why' }));
  assert.equal(await moveToSuspense(deps, arrival, 'NOBODY', []), false);
  assert.equal(await creditArrival(arrival, await insertPlainMember(database)), 'already_other');
  assert.equal((await readArrivalRow(arrival)).state, 'NEW');
  assert.equal(await creditArrival(arrival, member), 'already_this_member');
  assert.equal(await walletOf(member), 100n);
});

test('a credit waits for a transfer or announcement that another transaction is changing', async () => {
  const member = await insertPlainMember(database);
  const [first, second, third] = [await newArrival(), await newArrival(77n), await newArrival()];
  const announcement = await newAnnouncement(member, 77n);
  const row = (id: string, table = 'deposit_arrival'): [string, string[]] => [
    `select from ${table} where id = $1 for update`,
    [id],
  ];
  assert.deepEqual(
    await runWhileLocked(row(first.id), (ledger) => creditArrival(first, member, createTransferDeps(ledger))),
    ['row_locked', 'applied'],
  );
  assert.deepEqual(
    await runWhileLocked(row(announcement, 'deposit_announcement'), (ledger) =>
      creditArrival(second, member, createTransferDeps(ledger)),
    ),
    ['row_locked', 'applied'],
  );
  assert.equal(await readAnnouncementState(announcement), 'MATCHED');
  assert.deepEqual(
    await runWhileLocked(row(third.id), (ledger) => moveToSuspense(createTransferDeps(ledger), third, 'NOBODY', [])),
    ['row_locked', 'applied'],
  );
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
          houseAccount: 'wallet-app',
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
    const before = await countBatches();
    const outcomes = await runWhileLocked(['select from truelink_gift where id = $1 for update', [id]], (ledger) =>
      post(50n, ledger),
    );
    assert.deepEqual(outcomes, ['row_locked', outcome], state);
    assert.equal((await countBatches()) - before, outcome === 'applied' ? 1 : 0);
    assert.equal(await walletOf(member), outcome === 'applied' ? 50n : 0n);
    if (outcome !== 'applied') continue;
    assert.deepEqual([await post(50n), await post(51n)], ['replayed', 'amount_conflict']);
    assert.equal(await walletOf(member), 50n);
  }
});

test('with repeatedly cut connections each transfer is credited once, and its caller gets a reply', async () => {
  const cutLedger = openLedger();
  const members = await Promise.all(Array.from({ length: 30 }, () => insertPlainMember(database)));
  let isOver = false;
  const cuttingConnections = (async () => {
    for (let cutNumber = 0; cutNumber < 6 && !isOver; cutNumber += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  await Promise.all(
    members.map(async (member, index) => {
      const arrival = await newArrival();
      if (index % 2) await moveToSuspense(createTransferDeps(cutLedger), arrival, 'NOBODY', []);
      assert.match(
        await creditArrival(arrival, member, createTransferDeps(cutLedger)),
        /^(credited|already_this_member)$/,
      );
    }),
  );
  isOver = true;
  await cuttingConnections;
  await cutLedger.close();
  assert.deepEqual(new Set(await Promise.all(members.map(walletOf))), new Set([100n]));
});

const ACT_NAMES = ['credit', 'credit', 'suspense', 'decide'] as const;
type RandomAct = { ledgerIndex: 0 | 1; arrivalIndex: number; member: number; actName: (typeof ACT_NAMES)[number] };
const arbitraryAct = fc.array(
  fc.record<RandomAct>({
    ledgerIndex: fc.constantFrom(0, 1),
    arrivalIndex: fc.nat(2),
    member: fc.nat(1),
    actName: fc.constantFrom(...ACT_NAMES),
  }),
  { minLength: 12, maxLength: 12 },
);

test('concurrent credits, suspense and decisions of few transfers over two lanes pay each to one member, once', async () => {
  const reachedCases = new Set<string>();
  const runActs = async (acts: RandomAct[]): Promise<void> => {
    const members = await Promise.all([insertPlainMember(database), insertPlainMember(database)]);
    const arrivals = await Promise.all([1n, 20n, 300n].map(newArrival));
    const runAct = async ({ ledgerIndex, arrivalIndex, member, actName }: RandomAct): Promise<void> => {
      const [arrival, memberId] = [arrivals[arrivalIndex], members[member]];
      if (!arrival || memberId === undefined) return;
      const bankTransferDeps = createTransferDeps(ledgers[ledgerIndex]);
      if (actName === 'suspense') await moveToSuspense(bankTransferDeps, arrival, 'NOBODY', []);
      else if (actName === 'decide')
        await saveDecision(database, arrival.id, { memberId, via: 'operator:lek', note: 'why' });
      else reachedCases.add(await creditArrival(arrival, memberId, bankTransferDeps));
    };
    for (let from = 0; from < acts.length; from += 4) await Promise.all(acts.slice(from, from + 4).map(runAct));
    const rows = await Promise.all(arrivals.map(readArrivalRow));
    for (const memberId of members) {
      const memberRows = rows.filter((row) => row.memberId === memberId && row.state === 'CREDITED');
      assert.equal(
        await walletOf(memberId),
        memberRows.reduce((total, { amount }) => total + amount, 0n),
      );
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryAct, { minLength: 5, maxLength: 5 }), async (actLists) => {
      await Promise.all(actLists.map(runActs));
    }),
    { seed: 20_261_123, numRuns: 8, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(15_000)] },
  );
  assert.deepEqual([...reachedCases].toSorted(), ['already_other', 'already_this_member', 'credited']);
  const { rows } = await database.query<{ state: string; amount: bigint }>(
    'select state, sum(amount)::bigint as amount from deposit_arrival group by state',
  );
  const sumOfStates = (...states: string[]) =>
    rows.filter(({ state }) => states.includes(state)).reduce((total, { amount }) => total + amount, 0n);
  assert.equal(await houseAccountBalance(database, HOUSE_ACCOUNT, 'BAHT'), -sumOfStates('SUSPENSE', 'CREDITED'));
  assert.equal(await houseAccountBalance(database, 'suspense', 'BAHT'), sumOfStates('SUSPENSE'));
});
