import type { Currency, Minor } from '@krapao/contract/money';

/** Checks of the bonus that a member chooses with a deposit. All deposit methods use it. */
export type BonusChoice = {
  /**
   * Code of the chosen bonus; null without a choice. Whether the member may receive it is decided after the credit.
   * @param amount announced amount of the deposit; undefined while it is unknown
   * @throws NO_PROMOTION (not on offer in this currency), BONUS_CONDITION (`detail` DEPOSIT_BELOW_MINIMUM)
   */
  check(currency: Currency, rawCode: string, amount?: Minor): Promise<string | null>;
};

/** Part of the hash of an idempotent request; a request without a choice has the same hash as before choices. */
export const hashedChoice = (rawCode: string): readonly string[] => (rawCode === '' ? [] : [rawCode]);
