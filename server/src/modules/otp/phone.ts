import { hasPhoneLength, isInPhoneRanges, plainPhone, type Variant } from '@krapao/contract/rules';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorData } from '../lookup/module.ts';

/** The form of a kept phone number that gateways read without knowing the country of the site. */
export const dialled = (phone: string): string =>
  /^(?:20|030)/.test(phone) ? `+856${phone.replace(/^0/, '')}` : phone;

/**
 * The one form that a phone number is kept and compared in, for a number that a text message can reach.
 * @throws {Refusal} PHONE_NUMBER_REQUIRE_10_DIGIT (Thai variant, another length), INVALID_USER_INFO with `detail`
 *   PHONE_NOT_MOBILE for a number in none of the ranges that the operator admits
 */
export function phoneOf(typed: string, variant: Variant, data: OperatorData): string {
  const phone = plainPhone(typed);
  if (!hasPhoneLength(phone, variant)) throw new Refusal('PHONE_NUMBER_REQUIRE_10_DIGIT');
  if (!isInPhoneRanges(phone, data.setting('phoneRanges'))) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'PHONE_NOT_MOBILE' });
  }
  return phone;
}
