import type { Flow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { PartyStatementEntry, StatementSource } from '../../adapters/statement/port.ts';
import { type StoredTransfer, selectTransfers } from '../deposit/bank-transfer/index.ts';
import { selectVouchers } from '../deposit/truelink/index.ts';
import { openPayouts } from '../withdraw/index.ts';
import { type Comparison, type Explanation, summed } from './reconcile.ts';

const WHY: Readonly<Record<StoredTransfer['known'], string>> = {
  ledger: '',
  gateway: 'settled by a gateway',
  working: 'being entered',
};
const NOT_SEEN = 'not read yet, or waits for a slip';
const PAID_UNKNOWN = 'paid, not reported yet';
const GIFT_OPEN = 'gift links under way';

type Account = StatementSource['bankAccounts'][number];

/** What came to an account of ours, and what left it as payouts: two comparisons for each account. */
export async function compareBankAccount(
  on: Queryable,
  ledger: readonly Flow[],
  account: Account,
): Promise<Comparison[]> {
  const { name, currency } = account;
  const lines = await account.lines();
  const house = `bank:${name}`;
  const came = lines.filter(({ direction }) => direction === 'in');
  const paid = lines.filter(({ direction, channel }) => direction === 'out' && channel === 'PAYOUT');
  const open = new Set((await openPayouts(on)).map(({ reference }) => reference));
  const known = knowledgeOf(await selectTransfers(on, house));
  const late = paid.filter(({ reference }) => reference !== null && open.has(reference));
  return [
    {
      party: house,
      unit: currency,
      ours: netOutflow(ledger, house, currency),
      theirs: sumOf(came),
      explanations: summed(came.flatMap((line) => explain(line, known))),
    },
    {
      party: `payout:${name}`,
      unit: currency,
      ours: -netOutflow(ledger, `payout:${name}`, currency),
      theirs: sumOf(paid),
      explanations: summed(late.map(({ amount }) => ({ what: PAID_UNKNOWN, amount }))),
    },
  ];
}

/** What came to our wallet in the app: transfers as at a bank, and gifts by their vouchers. */
export async function compareWalletApp(
  on: Queryable,
  ledger: readonly Flow[],
  read: NonNullable<StatementSource['walletApp']>,
): Promise<Comparison> {
  const house = 'wallet-app';
  const lines = await read();
  const known = knowledgeOf(await selectTransfers(on, house));
  const { credited, open } = await selectVouchers(on);
  const explanations = lines.flatMap((line): Explanation[] => {
    if (line.channel !== 'GIFT') return explain(line, known);
    const isUnderWay = open > 0 && !credited.has(line.reference ?? '');
    return isUnderWay ? [{ what: GIFT_OPEN, amount: line.amount }] : [];
  });
  const ours = netOutflow(ledger, house, 'BAHT');
  return { party: house, unit: 'BAHT', ours, theirs: sumOf(lines), explanations: summed(explanations) };
}

/** What has left a house account on balance, which is what the party behind it has received for us. */
export function netOutflow(ledger: readonly Flow[], house: string, currency: string): bigint {
  let sum = 0n;
  for (const flow of ledger) {
    if (flow.currency !== currency) continue;
    if (flow.debit === house) sum += flow.amount;
    if (flow.credit === house) sum -= flow.amount;
  }
  return sum;
}

const sumOf = (lines: readonly PartyStatementEntry[]): bigint => lines.reduce((sum, { amount }) => sum + amount, 0n);

type Knowledge = ReadonlyMap<string, StoredTransfer['known']>;

const knowledgeOf = (arrivals: readonly StoredTransfer[]): Knowledge =>
  new Map(arrivals.map(({ sendingBank, transRef, known }) => [`${sendingBank} ${transRef}`, known]));

function explain({ sendingBank, transRef, amount }: PartyStatementEntry, known: Knowledge): Explanation[] {
  const state = known.get(`${sendingBank} ${transRef}`);
  return state === 'ledger' ? [] : [{ what: state === undefined ? NOT_SEEN : WHY[state], amount }];
}
