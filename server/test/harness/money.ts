import { type Currency, minor, type Minor, parseDecimal, toDecimal } from '@krapao/contract/money';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { newReference } from '../../src/platform/ids.ts';
import type { System } from './system.ts';

type Books = Pick<System, 'database' | 'databaseUrl'>;

/** The ledger of a running system, through its public door, from the test's own process. Close it in the end. */
export function ledgerOf({ database, databaseUrl }: Books): Ledger {
  return createLedger({ url: databaseUrl, database, currency: 'BAHT' });
}

/** Whole units and decimals as minor units: baht('20.15'). */
export function baht(text: string): Minor {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`"${text}" is not an amount`);
  return amount;
}

/** Gives a member money out of the house's bank account. */
export async function fund(
  ledger: Ledger,
  memberId: string,
  amount: string,
  currency: Currency = 'BAHT',
): Promise<void> {
  const reference = `F${newReference(9)}`;
  const [verdict] = await ledger.post({
    key: `test:fund:${reference}`,
    type: 'transfer',
    kind: 'deposit',
    memberId,
    currency,
    debit: { house: 'bank' },
    credit: { member: memberId, kind: 'WALLET' },
    amount: baht(amount),
    reference,
    actor: 'test',
  });
  if (verdict?.outcome !== 'applied') throw new Error(`no money: ${verdict?.reason ?? 'no verdict'}`);
}

/** What a member has free and held in one ledger account, as decimal texts. */
export async function balanceOf(
  ledger: Ledger,
  memberId: string,
  kind: 'WALLET' | `GAME:${string}`,
): Promise<{ free: string; held: string }> {
  const account = (await ledger.balances(memberId)).find((one) => one.kind === kind);
  return { free: toDecimal(account?.free ?? minor(0n)), held: toDecimal(account?.held ?? minor(0n)) };
}
