import assert from 'node:assert/strict';
import { statementSource } from '../../src/adapters/statement/index.ts';
import { multiplierOf, providerOf } from '../harness/games.ts';
import type { System } from '../harness/system.ts';
import { TOMORROW_CLOCK } from './random-day-clock.ts';
import { GRANT_SOURCES, parseMinor } from './random-day-records.ts';
import type { RandomMember } from './random-day.ts';
import { outsideWithLongTimeouts } from './run-command.ts';

const PAGE_SIZE = 100;

/** Outcomes of single payments at counterparties, by reference. */
type OutsideOutcomes = {
  payoutsByReference: ReadonlyMap<string, bigint>;
  giftsByLink: ReadonlyMap<string, bigint>;
  /** Net transfers into a provider's account, in credits. */
  netTransfers: ReadonlyMap<string, bigint>;
};

/** Sums of all wallets, in minor units. */
export type WalletTotals = Record<'BAHT' | 'LAK', { expected: bigint; held: bigint }>;

/**
 * Each wallet must equal the records of its owner and of every counterparty: payments in, less payouts, less net
 * transfers to games, plus the confirmed incentives. The only values read from the ledger are incentives whose reply
 * was lost, limited by the number of lost replies.
 */
export async function assertWalletsMatchRecords(
  system: System,
  members: readonly RandomMember[],
): Promise<WalletTotals> {
  const outside = await readOutside(system);
  const knownPayouts = new Set(members.flatMap(({ records }) => records.payoutReferences));
  for (const reference of outside.payoutsByReference.keys())
    assert.ok(knownPayouts.has(reference), `${reference} was not ordered`);
  const walletTotals: WalletTotals = { BAHT: { expected: 0n, held: 0n }, LAK: { expected: 0n, held: 0n } };
  for (const member of members) {
    const expected = await readExpectedAmount(system, member, outside);
    const { body } = await system.api('GET /api/wallet', { token: member.token });
    const heldAmount = parseMinor(body.wallet.amount);
    if (heldAmount !== expected.sum)
      assert.fail(await describeMismatch(system, member, { held: heldAmount, expected }));
    walletTotals[member.currency].expected += expected.sum;
    walletTotals[member.currency].held += heldAmount;
  }
  return walletTotals;
}

async function readOutside(system: System): Promise<OutsideOutcomes> {
  const source = statementSource(outsideWithLongTimeouts(system), TOMORROW_CLOCK, true);
  const paidOut = new Map<string, bigint>();
  for (const account of source.bankAccounts) {
    for (const { direction, channel, reference, amount } of await account.lines()) {
      if (direction === 'out' && channel === 'PAYOUT') addTo(paidOut, reference ?? '', amount);
    }
  }
  const giftsByCode = new Map<string, bigint>();
  for (const { channel, reference, amount } of (await source.walletApp?.()) ?? []) {
    if (channel === 'GIFT') addTo(giftsByCode, reference ?? '', amount);
  }
  const movedByUsername = new Map<string, bigint>();
  for (const { provider, username, movedIn, movedOut } of (await source.players?.()) ?? []) {
    addTo(movedByUsername, `${provider} ${username.toLowerCase()}`, movedIn - movedOut);
  }
  return { payoutsByReference: paidOut, giftsByLink: giftsByCode, netTransfers: movedByUsername };
}

const addTo = (totals: Map<string, bigint>, key: string, amount: bigint): void =>
  void totals.set(key, (totals.get(key) ?? 0n) + amount);

async function readExpectedAmount(system: System, member: RandomMember, outside: OutsideOutcomes) {
  const { records } = member;
  const amountsBySource = {
    paidIn: records.paidInTotal,
    codes: await readPaidCodes(system, member),
    slips: await readCreditedSlips(system, member),
    gifts: sumOf(records.giftLinks.map((voucher) => outside.giftsByLink.get(voucher) ?? 0n)),
    paidOut: sumOf(
      [...new Set(records.payoutReferences)].map((reference) => outside.payoutsByReference.get(reference) ?? 0n),
    ),
    inGames: sumOf(
      member.games.map(({ code, username }) => {
        const credits = outside.netTransfers.get(`${providerOf(code)} ${username.toLowerCase()}`) ?? 0n;
        assert.equal(credits % multiplierOf(code), 0n, `${code} moves whole satang`);
        return credits / multiplierOf(code);
      }),
    ),
    ...(await readIncentiveAmounts(system, member)),
  };
  const { paidIn, codes, slips, gifts, paidOut, inGames, granted, takenBack } = amountsBySource;
  return { ...amountsBySource, sum: paidIn + codes + slips + gifts + granted - takenBack - paidOut - inGames };
}

async function describeMismatch(system: System, member: RandomMember, compared: object): Promise<string> {
  const rows = await listAll(system, member, 'POST /api/statement', 'statements');
  const statementRows = rows.map(({ from, to, amount, status, createdAt }) =>
    [createdAt, from, to, amount, status].join(' '),
  );
  return [member.id, JSON.stringify({ ...compared, notes: member.records }, bigintsAsText), ...statementRows].join(
    '\n',
  );
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const bigintsAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

// oxlint-disable-next-line typescript/no-explicit-any
async function listAll(system: System, { token }: RandomMember, path: string, name: string): Promise<any[]> {
  const rows = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await system.api(path, { token, body: { page, limit: PAGE_SIZE } });
    assert.equal(status, 200, JSON.stringify(body));
    rows.push(...body[name]);
    if (rows.length >= body.total) return rows;
  }
}

/**
 * Payments to a person's codes by the gateways, including codes whose reply was lost. Only the owner is from the
 * database.
 */
async function readPaidCodes({ database, simulatorsApi }: System, { id }: RandomMember): Promise<bigint> {
  const { rows } = await database.query<{ reference: string }>('select reference from qrcode where member_id = $1', [
    id,
  ]);
  const codes = await Promise.all(
    rows.map(({ reference }) => simulatorsApi(`GET /control/qr?reference1=${encodeURIComponent(reference)}`)),
  );
  return sumOf(codes.map(({ status, body }) => (status === 200 && body.paidAmount ? parseMinor(body.paidAmount) : 0n)));
}

/** Without a reply an upload's success is unknown; each transfer counts once. */
async function readCreditedSlips(system: System, member: RandomMember): Promise<bigint> {
  const rows = await listAll(system, member, 'POST /api/statement/slip', 'slips');
  const creditedSatang = rows.filter(({ status }) => status === 'SUCCESS').map(({ amount }) => parseMinor(amount));
  assert.deepEqual(withoutAmounts(creditedSatang, member.records.slipAmounts), [], 'slips of transfers that they made');
  return sumOf(creditedSatang);
}

/** Granted and returned amounts of the statement: all confirmed ones, and at most one per lost reply. */
async function readIncentiveAmounts(
  system: System,
  member: RandomMember,
): Promise<{ granted: bigint; takenBack: bigint }> {
  const { records, id } = member;
  const rows = await listAll(system, member, 'POST /api/statement', 'statements');
  let grantedTotal = 0n;
  for (const grantSource of GRANT_SOURCES) {
    const grantRows = rows.filter((row) => row.statementType === 'bonus' && row.from === grantSource);
    grantedTotal += assertEachOnce(
      `${id} ${grantSource}`,
      grantRows,
      records.confirmedGrants[grantSource],
      records.unconfirmedGrants[grantSource],
    );
  }
  const takenBackRows = rows
    .filter(({ statementType, amount }) => statementType === 'finish_bonus' && amount !== 0)
    .map(({ amount }) => ({ amount: -amount }));
  const confirmedAmounts = records.takenBack.filter((amount) => amount !== 0n);
  return {
    granted: grantedTotal,
    takenBack: assertEachOnce(`${id} taken back`, takenBackRows, confirmedAmounts, records.unconfirmedReturns),
  };
}

function assertEachOnce(
  description: string,
  statementRows: readonly { amount: number }[],
  confirmedAmounts: readonly bigint[],
  unconfirmedCount: number,
): bigint {
  const amounts = statementRows.map(({ amount }) => parseMinor(amount));
  assert.deepEqual(withoutAmounts(confirmedAmounts, amounts), [], `${description}: told, and not in the statement`);
  const extraAmounts = withoutAmounts(amounts, confirmedAmounts);
  assert.ok(
    extraAmounts.length <= unconfirmedCount,
    `${description}: ${extraAmounts.join(', ')} of nobody's asking, ${unconfirmedCount} answers were lost`,
  );
  return sumOf(amounts);
}

/** Multiset difference of amounts. */
function withoutAmounts(amounts: readonly bigint[], removedAmounts: readonly bigint[]): bigint[] {
  const remainingAmounts = [...amounts];
  for (const removedAmount of removedAmounts) {
    const index = remainingAmounts.indexOf(removedAmount);
    if (index >= 0) remainingAmounts.splice(index, 1);
  }
  return remainingAmounts;
}
