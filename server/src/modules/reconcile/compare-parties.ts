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

/** What each gateway has received for us, including gateways in our books without a statement. */
export function compareGateways(
  ledger: readonly Flow[],
  totals: readonly GatewayTotal[] | undefined,
  takenBack: readonly { house: string; currency: string; amount: bigint }[],
): Comparison[] {
  const named = ledger
    .filter(({ debit }) => debit.startsWith(GATEWAY))
    .map(({ debit, currency }) => `${debit} ${currency}`);
  const told = totals?.map(({ name, currency }) => `${GATEWAY}${name} ${currency}`) ?? [];
  return [...new Set([...told, ...named])].map((both) => {
    const [party = '', unit = ''] = both.split(' ');
    const total = totals?.find(({ name, currency }) => `${GATEWAY}${name}` === party && currency === unit);
    return {
      party,
      unit,
      ours: netOutflow(ledger, party, unit),
      theirs: totals ? (total?.received ?? 0n) : undefined,
      explanations: summed([
        { what: 'of no code, by the gateway', amount: total?.unmatched ?? 0n },
        ...takenBack
          .filter(({ house, currency }) => house === party && currency === unit)
          .map(({ amount }) => ({ what: 'taken back after it was credited', amount: -amount })),
      ]),
    };
  });
}

/**
 * What each provider has been given for our members, less what came back, in its credits. What members won and lost there is
 * the provider's and theirs: it moves no money between it and us until it is brought home.
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

/** What the house has given to members less what it took back: what the ledger says, and the grants that it is made of. */
export function compareCosts(ledger: readonly Flow[], given: readonly GrantTotals[]): Comparison[] {
  return given.map(({ house, currency, net, opening, clearing }) => ({
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

/** Money that waits for its owner: what the ledger says is there, and the rows that it is made of. */
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
