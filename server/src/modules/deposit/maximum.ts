import { DEPOSIT_MAXIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor } from '@krapao/contract/money';

/** Most that one deposit may announce or ask for where the operator sets no maximum. */
export const depositMaximum = (currency: Currency): Minor => minor(BigInt(DEPOSIT_MAXIMUM[currency]) * 100n);
