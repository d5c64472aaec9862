import { i18n } from '../i18n/i18n.ts';
import { ApiFailure } from '../api/errors.ts';
import { failureText, errorTranslation } from '../shell/error-text.ts';

/** Namespaces with a section `refused` that explains details of failures. */
type Teller = 'transfer' | 'withdraw' | 'bonus' | 'refund' | 'deposit' | 'errors';

/** Details that say where the money is; the generic text of their code would be wrong. */
const MONEY_DETAILS: readonly string[] = ['CREDIT_NOT_CONFIRMED', 'QR_PAID', 'QR_EXPIRED', 'GATEWAY_UNKNOWN'];

/** Explanation of a failure's detail from a loaded namespace; undefined without one. */
export function detailText(failure: unknown, teller: Teller): string | undefined {
  const detail = failure instanceof ApiFailure ? (failure.detail ?? failure.message) : undefined;
  const words: unknown = detail && i18n.getResource(i18n.language, teller, ['refused', detail] as never);
  return typeof words === 'string' ? words : undefined;
}

/**
 * Translation of a failure's code, followed by the explanation; only the explanation if the code has no translation.
 */
export function withDetail(failure: unknown, detail: string | undefined): string {
  if (detail === undefined) return failureText(failure);
  const replaces = failure instanceof ApiFailure && MONEY_DETAILS.includes(failure.detail ?? '');
  const general = failure instanceof ApiFailure && !replaces ? errorTranslation(failure.message) : undefined;
  return general === undefined ? detail : `${general}\n${detail}`;
}

/** Text of a refusal: the translation of its code, and its explanation on a second line. */
export const refusalText = (failure: unknown, teller: Teller): string =>
  withDetail(failure, detailText(failure, teller));

/**
 * Text of a movement with an unknown outcome: what happened, and that a retry does not move the money twice. The
 * namespace must be loaded.
 */
export function undecidedText(failure: unknown, teller: 'transfer' | 'withdraw'): string[] {
  if (failure instanceof ApiFailure && failure.isUnknown) return [i18n.t(`${teller}:unknown`)];
  return [failureText(failure), i18n.t(`${teller}:unknownOnce`)];
}

/** Server field names of refusals whose code or detail does not name the field. */
const FIELDS_BY_CODE: Readonly<Record<string, string>> = {
  EXISTING_USER: 'username',
  PHONE_NUMBER_REQUIRE_10_DIGIT: 'username',
  PHONE_NOT_MOBILE: 'username',
  EXISTING_BANK: 'bankAccountNo',
};

/** The field that a failure concerns. */
export function refusedField<Field extends string>(failure: unknown, fields: readonly Field[]): Field | undefined {
  if (!(failure instanceof ApiFailure)) return undefined;
  const { message, detail = '' } = failure;
  const named = FIELDS_BY_CODE[message] ?? FIELDS_BY_CODE[detail] ?? detail;
  return fields.find((field) => field === named);
}

/** A refused form: an error at a field, or of the whole form. */
type FormRefusal<Field> = {
  field: Field | undefined;
  at: (field: Field) => string | undefined;
  whole: string | undefined;
};

/**
 * Assigns a refusal to the field that it concerns, if the form has it.
 * @param fields of the form, by server name
 */
export function formRefusal<Field extends string>(failure: unknown, fields: readonly Field[]): FormRefusal<Field> {
  const text = failure ? refusalText(failure, 'errors') : undefined;
  const field = refusedField(failure, fields);
  return { field, at: (one) => (one === field ? text : undefined), whole: field ? undefined : text };
}

/**
 * Text for the `message` of a successful reply: from section `message` of a loaded namespace, else the message itself.
 */
export function messageText(message: string, namespace: 'bonus' | 'refund', values: Record<string, string>): string {
  const words: unknown = i18n.getResource(i18n.language, namespace, ['message', message] as never);
  return typeof words === 'string' ? i18n.t(`${namespace}:message.${message}` as never, values) : message;
}
