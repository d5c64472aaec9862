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

/** Compares an own bank account with its statement: received money and payouts, separately. */
export async function compareBankAccount(
  on: Queryable,
  ledger: readonly Flow[],
  account: Account,
): Promise<Comparison[]> {
  const { name, currency } = account;
  const entries = await account.lines();
  const house = `bank:${name}`;
  const received = entries.filter(({ direction }) => direction === 'in');
  const paid = entries.filter(({ direction, channel }) => direction === 'out' && channel === 'PAYOUT');
  const open = new Set((await openPayouts(on)).map(({ reference }) => reference));
  const known = byIdentity(await selectTransfers(on, house));
  const late = paid.filter(({ reference }) => reference !== null && open.has(reference));
  return [
    {
      party: house,
      unit: currency,
      ours: netOutflow(ledger, house, currency),
      theirs: sumOf(received),
      explanations: summed(received.flatMap((entry) => explain(entry, known))),
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

/** Compares the own wallet-app account with its statement: transfers as at a bank, and gifts by their vouchers. */
export async function compareWalletApp(
  on: Queryable,
  ledger: readonly Flow[],
  read: NonNullable<StatementSource['walletApp']>,
): Promise<Comparison> {
  const house = 'wallet-app';
  const entries = await read();
  const known = byIdentity(await selectTransfers(on, house));
  const { credited, open } = await selectVouchers(on);
  const explanations = entries.flatMap((entry): Explanation[] => {
    if (entry.channel !== 'GIFT') return explain(entry, known);
    const isPending = open > 0 && !credited.has(entry.reference ?? '');
    return isPending ? [{ what: GIFT_OPEN, amount: entry.amount }] : [];
  });
  const ours = netOutflow(ledger, house, 'BAHT');
  return { party: house, unit: 'BAHT', ours, theirs: sumOf(entries), explanations: summed(explanations) };
}

/** Net outflow of a house account, which its party has received for us. */
export function netOutflow(ledger: readonly Flow[], house: string, currency: string): bigint {
  let sum = 0n;
  for (const flow of ledger) {
    if (flow.currency !== currency) continue;
    if (flow.debit === house) sum += flow.amount;
    if (flow.credit === house) sum -= flow.amount;
  }
  return sum;
}

const sumOf = (entries: readonly PartyStatementEntry[]): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, 0n);

type TransferStates = ReadonlyMap<string, StoredTransfer['known']>;

const byIdentity = (transfers: readonly StoredTransfer[]): TransferStates =>
  new Map(transfers.map(({ sendingBank, transRef, known }) => [`${sendingBank} ${transRef}`, known]));

function explain({ sendingBank, transRef, amount }: PartyStatementEntry, known: TransferStates): Explanation[] {
  const state = known.get(`${sendingBank} ${transRef}`);
  return state === 'ledger' ? [] : [{ what: state === undefined ? NOT_SEEN : WHY[state], amount }];
}
