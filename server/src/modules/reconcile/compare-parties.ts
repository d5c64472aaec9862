import type { Currency } from '@krapao/contract/money';
import type { Flow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { GatewayTotal, PlayerTotal } from '../../adapters/statement/port.ts';
import { selectRates } from '../game/index.ts';
import type { GrantTotals } from '../incentive/index.ts';
import { selectOpenCredits } from '../transfer/index.ts';
import { netOutflow } from './compare-accounts.ts';
import { type Comparison, summed } from './reconcile.ts';

const GATEWAY = 'gateway:';
const GAME = 'GAME:';

/** Compares what each gateway has received for us, including gateways without a statement. */
export function compareGateways(
  ledger: readonly Flow[],
  totals: readonly GatewayTotal[] | undefined,
  reversed: readonly { house: string; currency: string; amount: bigint }[],
): Comparison[] {
  const inLedger = ledger
    .filter(({ debit }) => debit.startsWith(GATEWAY))
    .map(({ debit, currency }) => `${debit} ${currency}`);
  const reported = totals?.map(({ name, currency }) => `${GATEWAY}${name} ${currency}`) ?? [];
  return [...new Set([...reported, ...inLedger])].map((both) => {
    const [party = '', unit = ''] = both.split(' ');
    const total = totals?.find(({ name, currency }) => `${GATEWAY}${name}` === party && currency === unit);
    return {
      party,
      unit,
      ours: netOutflow(ledger, party, unit),
      theirs: totals ? (total?.received ?? 0n) : undefined,
      explanations: summed([
        { what: 'of no code, by the gateway', amount: total?.unmatched ?? 0n },
        ...reversed
          .filter(({ house, currency }) => house === party && currency === unit)
          .map(({ amount }) => ({ what: 'taken back after it was credited', amount: -amount })),
      ]),
    };
  });
}

/**
 * Compares the net transfers of all members to each provider, in its credits. Wins and losses do not count: they move
 * no money between the provider and us until a transfer.
 */
export async function compareProviders(
  on: Queryable,
  ledger: readonly Flow[],
  players: readonly PlayerTotal[] | undefined,
): Promise<Comparison[]> {
  const games = await selectRates(on);
  const open = await selectOpenCredits(on);
  return [...new Set(games.map(({ provider }) => provider))].toSorted().map((provider) => {
    const ours = games
      .filter((game) => game.provider === provider)
      .reduce((sum, { code, ftWalletSlot }) => sum + movedInto(ledger, `${GAME}${code}`) * BigInt(ftWalletSlot), 0n);
    const theirs = players
      ?.filter((player) => player.provider === provider)
      .reduce((sum, { movedIn, movedOut }) => sum + movedIn - movedOut, 0n);
    const explanations = open
      .filter((one) => one.provider === provider)
      .map(({ direction, credits }) => ({
        what: `transfers under way, ${direction}`,
        amount: direction === 'in' ? credits : -credits,
        upTo: true as const,
      }));
    return { party: `provider:${provider}`, unit: 'CREDITS', ours, theirs, explanations };
  });
}

function movedInto(ledger: readonly Flow[], game: string): bigint {
  let sum = 0n;
  for (const { kind, debit, credit, amount } of ledger) {
    if (kind !== 'transfer') continue;
    if (credit === game) sum += amount;
    if (debit === game) sum -= amount;
  }
  return sum;
}

/** Compares the cost accounts with the sums of grants, less what was taken back. */
export function compareCosts(ledger: readonly Flow[], grants: readonly GrantTotals[]): Comparison[] {
  return grants.map(({ house, currency, net, opening, clearing }) => ({
    party: house,
    unit: currency,
    ours: netOutflow(ledger, house, currency),
    theirs: net,
    explanations: [
      { what: 'grants being credited', amount: -opening, upTo: true as const },
      { what: 'bonuses being taken back', amount: clearing, upTo: true as const },
    ].filter(({ amount }) => amount !== 0n),
  }));
}

/** Compares the suspense account with the sums of its rows. */
export function compareSuspense(
  ledger: readonly Flow[],
  rows: readonly { currency: string; amount: bigint }[],
): Comparison[] {
  const currencies = new Set<string>([...rows.map(({ currency }) => currency), 'BAHT' satisfies Currency]);
  return [...currencies].map((unit) => ({
    party: 'suspense',
    unit,
    ours: -netOutflow(ledger, 'suspense', unit),
    theirs: rows.find(({ currency }) => currency === unit)?.amount ?? 0n,
    explanations: [],
  }));
}
