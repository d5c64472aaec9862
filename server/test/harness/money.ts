import { type Currency, minor, type Minor, parseDecimal, toDecimal } from '@krapao/contract/money';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { newReference } from '../../src/platform/ids.ts';
import type { System } from './system.ts';

type DatabaseAccess = Pick<System, 'database' | 'databaseUrl'>;

/** A second ledger instance on a running system's database, in the test's process. Close it at the end. */
export function createTestLedger({ database, databaseUrl }: DatabaseAccess): Ledger {
  return createLedger({ url: databaseUrl, database, currency: 'BAHT' });
}

/** Parses decimal text as minor units: parseBaht('20.15'). */
export function parseBaht(text: string): Minor {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`"${text}" is not an amount`);
  return amount;
}

/** Gives a member money out of the operator's bank account. */
export async function fundWallet(
  ledger: Ledger,
  memberId: string,
  amount: string,
  currency: Currency = 'BAHT',
  houseAccount = 'bank',
): Promise<void> {
  const reference = `F${newReference(9)}`;
  const [verdict] = await ledger.post({
    key: `test:fund:${reference}`,
    type: 'transfer',
    kind: 'deposit',
    memberId,
    currency,
    debit: { houseAccount },
    credit: { member: memberId, kind: 'WALLET' },
    amount: parseBaht(amount),
    reference,
    actor: 'test',
  });
  if (verdict?.outcome !== 'applied') throw new Error(`no money: ${verdict?.reason ?? 'no verdict'}`);
}

/** Free and held amounts of a member in one ledger account, as decimal texts. */
export async function readBalance(
  ledger: Ledger,
  memberId: string,
  kind: 'WALLET' | `GAME:${string}`,
): Promise<{ free: string; held: string }> {
  const account = (await ledger.balances(memberId)).find((balance) => balance.kind === kind);
  return { free: toDecimal(account?.free ?? minor(0n)), held: toDecimal(account?.held ?? minor(0n)) };
}
