import type { Currency } from '@krapao/contract/money';
import type { GatewayTotal, PlayerTotal } from '../../adapters/statement/port.ts';
import type { AccountFlow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { selectCreditRates } from '../game/index.ts';
import type { GrantTotals } from '../incentive/index.ts';
import { selectOpenCredits } from '../transfer/index.ts';
import { sumOutflow } from './compare-accounts.ts';
import { type Comparison, sumByReason } from './reconcile.ts';

const GATEWAY_PREFIX = 'gateway:';
const GAME_PREFIX = 'GAME:';

/** Compares the amount that each gateway has received for us, including gateways without a statement. */
export function compareGateways(
  flows: readonly AccountFlow[],
  totals: readonly GatewayTotal[] | undefined,
  reversedDeposits: readonly { houseAccount: string; currency: string; amount: bigint }[],
): Comparison[] {
  const ledgerGateways = flows
    .filter(({ debit }) => debit.startsWith(GATEWAY_PREFIX))
    .map(({ debit, currency }) => `${debit} ${currency}`);
  const reportedGateways = totals?.map(({ name, currency }) => `${GATEWAY_PREFIX}${name} ${currency}`) ?? [];
  return [...new Set([...reportedGateways, ...ledgerGateways])].map((partyAndCurrency) => {
    const [partyName = '', currencyOfParty = ''] = partyAndCurrency.split(' ');
    const total = totals?.find(
      ({ name, currency }) => `${GATEWAY_PREFIX}${name}` === partyName && currency === currencyOfParty,
    );
    return {
      party: partyName,
      unit: currencyOfParty,
      ledgerTotal: sumOutflow(flows, partyName, currencyOfParty),
      partyTotal: totals ? (total?.received ?? 0n) : undefined,
      explanations: sumByReason([
        { reason: 'of no code, by the gateway', amount: total?.unmatched ?? 0n },
        ...reversedDeposits
          .filter(({ houseAccount, currency }) => houseAccount === partyName && currency === currencyOfParty)
          .map(({ amount }) => ({ reason: 'taken back after it was credited', amount: -amount })),
      ]),
    };
  });
}

/**
 * Compares the net transfers of all members to each provider, in its credits. Wins and losses do not count: without a
 * transfer they move no money between the provider and us.
 */
export async function compareProviders(
  on: Queryable,
  flows: readonly AccountFlow[],
  players: readonly PlayerTotal[] | undefined,
): Promise<Comparison[]> {
  const games = await selectCreditRates(on);
  const openCredits = await selectOpenCredits(on);
  return [...new Set(games.map(({ provider }) => provider))].toSorted().map((provider) => {
    const ledgerCredits = games
      .filter((game) => game.provider === provider)
      .reduce(
        (sum, { code, creditsPerUnit }) =>
          sum + netTransferredInto(flows, `${GAME_PREFIX}${code}`) * BigInt(creditsPerUnit),
        0n,
      );
    const providerCredits = players
      ?.filter((player) => player.provider === provider)
      .reduce((sum, { movedIn, movedOut }) => sum + movedIn - movedOut, 0n);
    const explanations = openCredits
      .filter((openCredit) => openCredit.provider === provider)
      .map(({ direction, credits }) => ({
        reason: `transfers under way, ${direction}`,
        amount: direction === 'in' ? credits : -credits,
        upTo: true as const,
      }));
    return {
      party: `provider:${provider}`,
      unit: 'CREDITS',
      ledgerTotal: ledgerCredits,
      partyTotal: providerCredits,
      explanations,
    };
  });
}

function netTransferredInto(flows: readonly AccountFlow[], gameAccount: string): bigint {
  let total = 0n;
  for (const { kind, debit, credit, amount } of flows) {
    if (kind !== 'transfer') continue;
    if (credit === gameAccount) total += amount;
    if (debit === gameAccount) total -= amount;
  }
  return total;
}

/** Compares the cost accounts with the totals of grants, less the amounts taken back. */
export function compareCosts(flows: readonly AccountFlow[], grants: readonly GrantTotals[]): Comparison[] {
  return grants.map(({ houseAccount, currency, net, opening, clearing }) => ({
    party: houseAccount,
    unit: currency,
    ledgerTotal: sumOutflow(flows, houseAccount, currency),
    partyTotal: net,
    explanations: [
      { reason: 'grants being credited', amount: -opening, upTo: true as const },
      { reason: 'bonuses being taken back', amount: clearing, upTo: true as const },
    ].filter(({ amount }) => amount !== 0n),
  }));
}

/** Compares the suspense account with the sum of the rows in suspense. */
export function compareSuspense(
  flows: readonly AccountFlow[],
  rows: readonly { currency: string; amount: bigint }[],
): Comparison[] {
  const currencies = new Set<string>([...rows.map(({ currency }) => currency), 'BAHT' satisfies Currency]);
  return [...currencies].map((unit) => ({
    party: 'suspense',
    unit,
    ledgerTotal: -sumOutflow(flows, 'suspense', unit),
    partyTotal: rows.find(({ currency }) => currency === unit)?.amount ?? 0n,
    explanations: [],
  }));
}
