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
 * Compares the ledger with the statement of each external party. House accounts without a party are listed with their
 * balance as the difference: money must not hide there. Statements are read before the ledger, so that movements in
 * between are in the ledger and can be explained.
 * @throws when a party with a statement does not reply
 */
export async function reconcile(database: Database, source: StatementSource): Promise<Comparison[]> {
  const accounts = await Promise.all(
    source.bankAccounts.map(async (account) => ({ ...account, read: await account.lines() })),
  );
  const walletAppEntries = await source.walletApp?.();
  const gateways = await source.gateways?.();
  const players = await source.players?.();
  const { ledger, grants } = await readBooks(database);
  const comparisons: Comparison[] = [
    ...compareGateways(ledger, gateways, await sumReversedAtGateway(database)),
    ...(
      await Promise.all(
        accounts.map(({ read, ...account }) =>
          compareBankAccount(database, ledger, { ...account, lines: async () => read }),
        ),
      )
    ).flat(),
    ...(walletAppEntries ? [await compareWalletApp(database, ledger, async () => walletAppEntries)] : []),
    ...(await compareProviders(database, ledger, players)),
    ...compareSuspense(ledger, await sumInSuspense(database)),
    ...compareCosts(ledger, grants),
  ];
  return [...comparisons, ...withoutParty(ledger, comparisons)];
}

// One snapshot: a grant credited in between would be on one side only.
const readBooks = (database: Database): Promise<{ ledger: Flow[]; grants: GrantTotals[] }> =>
  database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return { ledger: await accountFlows(tx), grants: await sumGrants(tx) };
  });

function withoutParty(ledger: readonly Flow[], comparisons: readonly Comparison[]): Comparison[] {
  const known = new Set(comparisons.map(({ party }) => party));
  const accounts = ledger.flatMap(({ debit, credit, currency }) =>
    [debit, credit].filter((name) => !isMemberAccount(name) && !known.has(name)).map((name) => `${currency} ${name}`),
  );
  return [...new Set(accounts)].map((both) => {
    const [unit = '', ...rest] = both.split(' ');
    const party = rest.join(' ');
    return { party, unit, ours: netOutflow(ledger, party, unit), theirs: 0n, explanations: [] };
  });
}

const isMemberAccount = (account: string): boolean => account === 'WALLET' || account.startsWith('GAME:');
