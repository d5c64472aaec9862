import assert from 'node:assert/strict';
import { multiplierOf, providerOf } from '../harness/games.ts';
import type { System } from '../harness/system.ts';
import { statementSource } from '../../src/adapters/statement/index.ts';
import type { Person } from './random-day.ts';
import { TOMORROW } from './random-day-clock.ts';
import { GIVERS, minorOf } from './random-day-notes.ts';
import { outsideWithLongTimeouts } from './run-command.ts';

const PAGE = 100;

/** Outcomes of single payments at third parties, by reference. */
type Outside = {
  paidOut: ReadonlyMap<string, bigint>;
  gifts: ReadonlyMap<string, bigint>;
  /** Net transfers into a provider's account, in credits. */
  moved: ReadonlyMap<string, bigint>;
};

/** Sums of all wallets, in minor units. */
export type Sums = Record<'BAHT' | 'LAK', { expected: bigint; held: bigint }>;

/**
 * Each wallet must equal the records of its owner and of every third party: payments in, less payouts, less net
 * transfers to games, plus the confirmed incentives. The only values read from the ledger are incentives whose reply
 * was lost, limited by the number of lost replies.
 */
export async function assertWalletsHold(system: System, people: readonly Person[]): Promise<Sums> {
  const outside = await readOutside(system);
  const known = new Set(people.flatMap(({ notes }) => notes.payouts));
  for (const reference of outside.paidOut.keys()) assert.ok(known.has(reference), `${reference} was not ordered`);
  const sums: Sums = { BAHT: { expected: 0n, held: 0n }, LAK: { expected: 0n, held: 0n } };
  for (const person of people) {
    const expected = await expectedOf(system, person, outside);
    const { body } = await system.api('GET /api/wallet', { token: person.token });
    const held = minorOf(body.wallet.amount);
    if (held !== expected.sum) assert.fail(await differenceOf(system, person, { held, expected }));
    sums[person.currency].expected += expected.sum;
    sums[person.currency].held += held;
  }
  return sums;
}

async function readOutside(system: System): Promise<Outside> {
  const source = statementSource(outsideWithLongTimeouts(system), TOMORROW, true);
  const paidOut = new Map<string, bigint>();
  for (const account of source.bankAccounts) {
    for (const { direction, channel, reference, amount } of await account.lines()) {
      if (direction === 'out' && channel === 'PAYOUT') add(paidOut, reference ?? '', amount);
    }
  }
  const gifts = new Map<string, bigint>();
  for (const { channel, reference, amount } of (await source.walletApp?.()) ?? []) {
    if (channel === 'GIFT') add(gifts, reference ?? '', amount);
  }
  const moved = new Map<string, bigint>();
  for (const { provider, username, movedIn, movedOut } of (await source.players?.()) ?? []) {
    add(moved, `${provider} ${username.toLowerCase()}`, movedIn - movedOut);
  }
  return { paidOut, gifts, moved };
}

const add = (sums: Map<string, bigint>, key: string, amount: bigint): void =>
  void sums.set(key, (sums.get(key) ?? 0n) + amount);

async function expectedOf(system: System, person: Person, outside: Outside) {
  const { notes } = person;
  const parts = {
    paidIn: notes.paidIn,
    codes: await paidCodes(system, person),
    slips: await creditedSlips(system, person),
    gifts: sumOf(notes.vouchers.map((voucher) => outside.gifts.get(voucher) ?? 0n)),
    paidOut: sumOf([...new Set(notes.payouts)].map((reference) => outside.paidOut.get(reference) ?? 0n)),
    inGames: sumOf(
      person.games.map(({ code, username }) => {
        const credits = outside.moved.get(`${providerOf(code)} ${username.toLowerCase()}`) ?? 0n;
        assert.equal(credits % multiplierOf(code), 0n, `${code} moves whole satang`);
        return credits / multiplierOf(code);
      }),
    ),
    ...(await incentivesOf(system, person)),
  };
  const { paidIn, codes, slips, gifts, paidOut, inGames, granted, takenBack } = parts;
  return { ...parts, sum: paidIn + codes + slips + gifts + granted - takenBack - paidOut - inGames };
}

async function differenceOf(system: System, person: Person, sides: object): Promise<string> {
  const rows = await listed(system, person, 'POST /api/statement', 'statements');
  const lines = rows.map(({ from, to, amount, status, createdAt }) => [createdAt, from, to, amount, status].join(' '));
  return [person.id, JSON.stringify({ ...sides, notes: person.notes }, bigintsAsText), ...lines].join('\n');
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
const bigintsAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

// oxlint-disable-next-line typescript/no-explicit-any
async function listed(system: System, { token }: Person, path: string, name: string): Promise<any[]> {
  const rows = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await system.api(path, { token, body: { page, limit: PAGE } });
    assert.equal(status, 200, JSON.stringify(body));
    rows.push(...body[name]);
    if (rows.length >= body.total) return rows;
  }
}

/**
 * Payments to a person's codes by the gateways, including codes whose reply was lost. Only the owner is from the
 * database.
 */
async function paidCodes({ database, world }: System, { id }: Person): Promise<bigint> {
  const { rows } = await database.query<{ reference: string }>('select reference from qrcode where member_id = $1', [
    id,
  ]);
  const codes = await Promise.all(
    rows.map(({ reference }) => world(`GET /control/qr?reference1=${encodeURIComponent(reference)}`)),
  );
  return sumOf(codes.map(({ status, body }) => (status === 200 && body.paidAmount ? minorOf(body.paidAmount) : 0n)));
}

/** Without a reply an upload's success is unknown; each transfer counts once. */
async function creditedSlips(system: System, person: Person): Promise<bigint> {
  const rows = await listed(system, person, 'POST /api/statement/slip', 'slips');
  const credited = rows.filter(({ status }) => status === 'SUCCESS').map(({ amount }) => minorOf(amount));
  assert.deepEqual(without(credited, person.notes.slips), [], 'slips of transfers that they made');
  return sumOf(credited);
}

/** Granted and returned amounts of the statement: all confirmed ones, and at most one per lost reply. */
async function incentivesOf(system: System, person: Person): Promise<{ granted: bigint; takenBack: bigint }> {
  const { notes, id } = person;
  const rows = await listed(system, person, 'POST /api/statement', 'statements');
  let granted = 0n;
  for (const by of GIVERS) {
    const lines = rows.filter((row) => row.statementType === 'bonus' && row.from === by);
    granted += onceEach(`${id} ${by}`, lines, notes.granted[by], notes.maybeGranted[by]);
  }
  const back = rows
    .filter(({ statementType, amount }) => statementType === 'finish_bonus' && amount !== 0)
    .map(({ amount }) => ({ amount: -amount }));
  const certain = notes.takenBack.filter((amount) => amount !== 0n);
  return { granted, takenBack: onceEach(`${id} taken back`, back, certain, notes.maybeTakenBack) };
}

function onceEach(
  what: string,
  lines: readonly { amount: number }[],
  certain: readonly bigint[],
  uncertain: number,
): bigint {
  const amounts = lines.map(({ amount }) => minorOf(amount));
  assert.deepEqual(without(certain, amounts), [], `${what}: told, and not in the statement`);
  const more = without(amounts, certain);
  assert.ok(more.length <= uncertain, `${what}: ${more.join(', ')} of nobody's asking, ${uncertain} answers were lost`);
  return sumOf(amounts);
}

/** Multiset difference of amounts. */
function without(amounts: readonly bigint[], others: readonly bigint[]): bigint[] {
  const left = [...amounts];
  for (const other of others) {
    const at = left.indexOf(other);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
