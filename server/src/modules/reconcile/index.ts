import type { StatementSource } from '../../adapters/statement/port.ts';
import { type AccountFlow, accountFlows } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { sumInSuspense } from '../deposit/bank-transfer/index.ts';
import { sumReversedAtGateway } from '../deposit/qrcode/index.ts';
import { type GrantTotals, sumGrants } from '../incentive/index.ts';
import { compareBankAccount, compareWalletApp, sumOutflow } from './compare-accounts.ts';
import { compareCosts, compareGateways, compareProviders, compareSuspense } from './compare-parties.ts';
import type { Comparison } from './reconcile.ts';

export { type Comparison, unexplainedDifference } from './reconcile.ts';

/**
 * Compares the ledger with the statement of each counterparty. Without a statement, the whole balance is the
 * difference. Statements are read first: payments in between are then in the ledger, and can be explained.
 * @throws a counterparty with a statement does not reply
 */
export async function reconcile(database: Database, source: StatementSource): Promise<Comparison[]> {
  const accountsWithEntries = await Promise.all(
    source.bankAccounts.map(async (bankAccount) => ({ ...bankAccount, read: await bankAccount.lines() })),
  );
  const walletAppEntries = await source.walletApp?.();
  const gateways = await source.gateways?.();
  const players = await source.players?.();
  const { ledger: flows, grants } = await readBooks(database);
  const comparisons: Comparison[] = [
    ...compareGateways(flows, gateways, await sumReversedAtGateway(database)),
    ...(
      await Promise.all(
        accountsWithEntries.map(({ read: statementEntries, ...account }) =>
          compareBankAccount(database, flows, { ...account, lines: async () => statementEntries }),
        ),
      )
    ).flat(),
    ...(walletAppEntries ? [await compareWalletApp(database, flows, async () => walletAppEntries)] : []),
    ...(await compareProviders(database, flows, players)),
    ...compareSuspense(flows, await sumInSuspense(database)),
    ...compareCosts(flows, grants),
  ];
  return [...comparisons, ...findAccountsWithoutParty(flows, comparisons)];
}

// Ledger and grants are read in one snapshot: a grant credited in between would be in only one of them.
const readBooks = (database: Database): Promise<{ ledger: AccountFlow[]; grants: GrantTotals[] }> =>
  database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return { ledger: await accountFlows(tx), grants: await sumGrants(tx) };
  });

function findAccountsWithoutParty(flows: readonly AccountFlow[], comparisons: readonly Comparison[]): Comparison[] {
  const comparedParties = new Set(comparisons.map(({ party }) => party));
  const uncomparedAccounts = flows.flatMap(({ debit, credit, currency }) =>
    [debit, credit]
      .filter((name) => !isMemberAccount(name) && !comparedParties.has(name))
      .map((name) => `${currency} ${name}`),
  );
  return [...new Set(uncomparedAccounts)].map((currencyAndAccount) => {
    const [currency = '', ...nameWords] = currencyAndAccount.split(' ');
    const partyName = nameWords.join(' ');
    return {
      party: partyName,
      unit: currency,
      ledgerTotal: sumOutflow(flows, partyName, currency),
      partyTotal: 0n,
      explanations: [],
    };
  });
}

const isMemberAccount = (account: string): boolean => account === 'WALLET' || account.startsWith('GAME:');
