import type { StatementFilter } from '@krapao/contract/endpoints/statement';
import { type Currency, type Minor, parseDecimal } from '@krapao/contract/money';
import { REFERENCE_PREFIX_MIN } from '@krapao/contract/statement';
import { parseTypedAmount } from '@krapao/contract/text/typed-amount';
import type { FilteredRequest } from '../../ledger/index.ts';
import type { GameModule } from '../game/index.ts';
import { CURRENCY_SIGNS } from './pdf-input.ts';

type LedgerFilter = Omit<FilteredRequest, 'page' | 'limit' | 'entriesMax'>;

const SIGN = /^\s*[-−–—－]/u;

/** Resolves the text of a search into what the ledger knows: reference, amount and games. */
export async function ledgerFilter(
  { game }: { game: Pick<GameModule, 'search'> },
  { search, ...filter }: StatementFilter,
  currency: Currency,
): Promise<LedgerFilter> {
  if (search === undefined) return filter;
  const text = search.trim();
  const reference = text.length >= REFERENCE_PREFIX_MIN ? text : undefined;
  return { ...filter, search: { reference, amount: typedAmount(text, currency), games: await game.search(text) } };
}

/** The amount of a text, without its sign; undefined if the text isn't an amount, or an ambiguous one. */
function typedAmount(text: string, currency: Currency): Minor | undefined {
  const unit = CURRENCY_SIGNS[currency];
  const parsed = parseTypedAmount(text.replace(SIGN, ''), { unit, decimals: 2 });
  return parsed.kind === 'amount' ? parseDecimal(`${parsed.whole}.${parsed.fraction || '0'}`) : undefined;
}
