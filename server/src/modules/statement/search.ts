import type { StatementFilter } from '@krapao/contract/endpoints/statement';
import { CURRENCY_SIGNS, type Currency, type Minor, parseDecimal } from '@krapao/contract/money';
import { REFERENCE_PREFIX_MIN } from '@krapao/contract/statement';
import { trimPasted } from '@krapao/contract/text/digits';
import { parseTypedAmount, plainAmountText } from '@krapao/contract/text/typed-amount';
import type { MovementFilter } from '../../ledger/index.ts';
import type { GameModule } from '../game/index.ts';

/** A minus sign, and the end of a Thai price: `900.-`. */
const SIGN_OR_PRICE_END = /^-|\.-$/g;

/** Resolves the text of a search into what the ledger knows: reference, amount and games. */
export async function ledgerFilter(
  { game }: { game: Pick<GameModule, 'search'> },
  { search, ...filter }: StatementFilter,
  currency: Currency,
): Promise<MovementFilter> {
  if (search === undefined) return filter;
  const text = trimPasted(search);
  const reference = text.length >= REFERENCE_PREFIX_MIN ? text : undefined;
  return { ...filter, search: { reference, amount: typedAmount(text, currency), games: await game.search(text) } };
}

/** The amount of a text, without its sign; undefined for a text that is no amount or is ambiguous. */
function typedAmount(text: string, currency: Currency): Minor | undefined {
  const unit = CURRENCY_SIGNS[currency];
  const unsigned = plainAmountText(text, unit).replaceAll(SIGN_OR_PRICE_END, '');
  const parsed = parseTypedAmount(unsigned, { unit, decimals: 2 });
  return parsed.kind === 'amount' ? parseDecimal(`${parsed.whole}.${parsed.fraction || '0'}`) : undefined;
}
