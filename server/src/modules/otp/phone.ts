import { hasPhoneLength, looksMobile, plainPhone, type Variant } from '@krapao/contract/rules';
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { Refusal } from '../../platform/refusal.ts';

/** The form of a kept phone number that gateways read without knowing the country of the site. */
export const dialled = (phone: string): string =>
  /^(?:20|030)/.test(phone) ? `+856${phone.replace(/^0/, '')}` : phone;

/**
 * The one form that a phone number is kept and compared in, for a number that a text message can reach.
 * @throws {Refusal} PHONE_NUMBER_REQUIRE_10_DIGIT (Thai variant, another length), INVALID_USER_INFO with `detail`
 *   PHONE_NOT_MOBILE for what no Thai or Lao numbering plan has as a mobile number
 */
export function phoneOf(typed: string, variant: Variant): string {
  const phone = plainPhone(typed);
  if (!hasPhoneLength(phone, variant)) throw new Refusal('PHONE_NUMBER_REQUIRE_10_DIGIT');
  if (!isMobile(phone)) throw new Refusal('INVALID_USER_INFO', { detail: 'PHONE_NOT_MOBILE' });
  return phone;
}

// The metadata has mobile ranges alone: what is valid by it is a mobile number.
const isMobile = (phone: string): boolean =>
  looksMobile(phone) && (parsePhoneNumberFromString(dialled(phone), 'TH')?.isValid() ?? false);
