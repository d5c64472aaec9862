import { type Minor, parseDecimal } from '@krapao/contract/money';

const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/;

/** Reads a decimal text that may have thousands commas ("1,000.00") as hundredths; undefined for anything else. */
export const parseGrouped = (text: string): Minor | undefined =>
  parseDecimal(GROUPED.test(text) ? text.replaceAll(',', '') : text);
