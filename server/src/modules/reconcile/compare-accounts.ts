import type { PartyStatementEntry, StatementSource } from '../../adapters/statement/port.ts';
import type { AccountFlow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type StoredTransfer, selectTransfers } from '../deposit/bank-transfer/index.ts';
import { selectVouchers } from '../deposit/truelink/index.ts';
import { openPayouts } from '../withdraw/index.ts';
import { type Comparison, type Explanation, sumByReason } from './reconcile.ts';

const REASON_BY_TRANSFER_STATE: Readonly<Record<StoredTransfer['known'], string>> = {
  ledger: '',
  gateway: 'settled by a gateway',
  working: 'being entered',
};
const REASON_NOT_READ = 'not read yet, or waits for a slip';
const REASON_PAYOUT_NOT_REPORTED = 'paid, not reported yet';
const REASON_GIFT_PENDING = 'gift links under way';

type BankAccount = StatementSource['bankAccounts'][number];

/** Compares an own bank account with its statement: received money and payouts separately. */
export async function compareBankAccount(
  on: Queryable,
  flows: readonly AccountFlow[],
  bankAccount: BankAccount,
): Promise<Comparison[]> {
  const { name, currency } = bankAccount;
  const statementEntries = await bankAccount.lines();
  const houseAccount = `bank:${name}`;
  const receivedEntries = statementEntries.filter(({ direction }) => direction === 'in');
  const paidOut = statementEntries.filter(({ direction, channel }) => direction === 'out' && channel === 'PAYOUT');
  const openReferences = new Set((await openPayouts(on)).map(({ reference }) => reference));
  const transferStates = mapStates(await selectTransfers(on, houseAccount));
  const unreportedPayouts = paidOut.filter(({ reference }) => reference !== null && openReferences.has(reference));
  return [
    {
      party: houseAccount,
      unit: currency,
      ledgerTotal: sumOutflow(flows, houseAccount, currency),
      partyTotal: sumAmounts(receivedEntries),
      explanations: sumByReason(receivedEntries.flatMap((entry) => explainEntry(entry, transferStates))),
    },
    {
      party: `payout:${name}`,
      unit: currency,
      ledgerTotal: -sumOutflow(flows, `payout:${name}`, currency),
      partyTotal: sumAmounts(paidOut),
      explanations: sumByReason(
        unreportedPayouts.map(({ amount }) => ({ reason: REASON_PAYOUT_NOT_REPORTED, amount })),
      ),
    },
  ];
}

/** Compares the own wallet-app account with its statement: transfers as at a bank, gifts by their vouchers. */
export async function compareWalletApp(
  on: Queryable,
  flows: readonly AccountFlow[],
  readStatement: NonNullable<StatementSource['walletApp']>,
): Promise<Comparison> {
  const houseAccount = 'wallet-app';
  const statementEntries = await readStatement();
  const transferStates = mapStates(await selectTransfers(on, houseAccount));
  const { credited, open: pendingCount } = await selectVouchers(on);
  const explanations = statementEntries.flatMap((entry): Explanation[] => {
    if (entry.channel !== 'GIFT') return explainEntry(entry, transferStates);
    const isPending = pendingCount > 0 && !credited.has(entry.reference ?? '');
    return isPending ? [{ reason: REASON_GIFT_PENDING, amount: entry.amount }] : [];
  });
  const ledgerAmount = sumOutflow(flows, houseAccount, 'BAHT');
  return {
    party: houseAccount,
    unit: 'BAHT',
    ledgerTotal: ledgerAmount,
    partyTotal: sumAmounts(statementEntries),
    explanations: sumByReason(explanations),
  };
}

/** Net outflow of a house account: what its counterparty has received for the operator. */
export function sumOutflow(flows: readonly AccountFlow[], houseAccount: string, currency: string): bigint {
  let total = 0n;
  for (const flow of flows) {
    if (flow.currency !== currency) continue;
    if (flow.debit === houseAccount) total += flow.amount;
    if (flow.credit === houseAccount) total -= flow.amount;
  }
  return total;
}

const sumAmounts = (entries: readonly PartyStatementEntry[]): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, 0n);

type TransferStates = ReadonlyMap<string, StoredTransfer['known']>;

const mapStates = (transfers: readonly StoredTransfer[]): TransferStates =>
  new Map(
    transfers.map(({ sendingBank, transRef, known: transferState }) => [`${sendingBank} ${transRef}`, transferState]),
  );

function explainEntry(
  { sendingBank, transRef, amount }: PartyStatementEntry,
  transferStates: TransferStates,
): Explanation[] {
  const state = transferStates.get(`${sendingBank} ${transRef}`);
  return state === 'ledger'
    ? []
    : [{ reason: state === undefined ? REASON_NOT_READ : REASON_BY_TRANSFER_STATE[state], amount }];
}
