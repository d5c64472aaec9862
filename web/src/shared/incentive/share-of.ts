import { parseDecimal, stepOf, toWire } from '@krapao/contract/money';
import type { Currency } from '@krapao/contract/money';

/**
 * A percentage of an amount as the server rounds it, to what a person can send: a target up, a floor down.
 * @param amount major units, as on the wire
 * @returns the same; undefined when either is no number of at most two decimals
 */
export function shareOf(
  amount: number,
  percent: number,
  currency: Currency,
  rounds: 'up' | 'down',
): number | undefined {
  const [units, hundredths] = [parseDecimal(String(amount)), parseDecimal(String(percent))];
  if (units === undefined || hundredths === undefined) return undefined;
  const step = stepOf(currency) * 10_000n;
  const steps = (units * hundredths + (rounds === 'up' ? step - 1n : 0n)) / step;
  return toWire(steps * stepOf(currency));
}
