import { type Flow, accountFlows } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { StatementSource } from '../../adapters/statement/port.ts';
import { sumInSuspense } from '../deposit/bank-transfer/index.ts';
import { sumReversedAtGateway } from '../deposit/qrcode/index.ts';
import { type GrantTotals, sumGrants } from '../incentive/index.ts';
import { compareBankAccount, compareWalletApp, netOutflow } from './compare-accounts.ts';
import { compareCosts, compareGateways, compareProviders, compareSuspense } from './compare-parties.ts';
import type { Comparison } from './reconcile.ts';

export { type Comparison, unexplained } from './reconcile.ts';

/**
 * Compares our ledger with the statement of each party outside. House accounts without a party outside are listed too,
 * with their balance as the difference: money must not hide there. Statements are read before the ledger: movements in
 * between are then in our books and can be explained. @throws when a party with a statement doesn't answer
 */
export async function reconcile(database: Database, source: StatementSource): Promise<Comparison[]> {
  const lines = await Promise.all(
    source.bankAccounts.map(async (account) => ({ ...account, read: await account.lines() })),
  );
  const walletAppLines = await source.walletApp?.();
  const gateways = await source.gateways?.();
  const players = await source.players?.();
  const { ledger, given } = await readOurs(database);
  const comparisons: Comparison[] = [
    ...compareGateways(ledger, gateways, await sumReversedAtGateway(database)),
    ...(
      await Promise.all(
        lines.map(({ read, ...account }) =>
          compareBankAccount(database, ledger, { ...account, lines: async () => read }),
        ),
      )
    ).flat(),
    ...(walletAppLines ? [await compareWalletApp(database, ledger, async () => walletAppLines)] : []),
    ...(await compareProviders(database, ledger, players)),
    ...compareSuspense(ledger, await sumInSuspense(database)),
    ...compareCosts(ledger, given),
  ];
  return [...comparisons, ...strangers(ledger, comparisons)];
}

// Of one moment: a grant that is paid in between would stand on one side only.
const readOurs = (database: Database): Promise<{ ledger: Flow[]; given: GrantTotals[] }> =>
  database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return { ledger: await accountFlows(tx), given: await sumGrants(tx) };
  });

function strangers(ledger: readonly Flow[], comparisons: readonly Comparison[]): Comparison[] {
  const known = new Set(comparisons.map(({ party }) => party));
  const accounts = ledger.flatMap(({ debit, credit, currency }) =>
    [debit, credit].filter((name) => !isMembers(name) && !known.has(name)).map((name) => `${currency} ${name}`),
  );
  return [...new Set(accounts)].map((both) => {
    const [unit = '', ...rest] = both.split(' ');
    const party = rest.join(' ');
    return { party, unit, ours: netOutflow(ledger, party, unit), theirs: 0n, explanations: [] };
  });
}

const isMembers = (account: string): boolean => account === 'WALLET' || account.startsWith('GAME:');
