import { failureText, errorTranslation } from '../api/error-text.ts';
import { ApiFailure } from '../api/errors.ts';
import { i18n } from '../i18n/i18n.ts';

/** Namespaces with a section `refused`, which explains failure details. */
type RefusalNamespace = 'transfer' | 'withdraw' | 'bonus' | 'refund' | 'deposit' | 'errors';

/** Details whose text replaces the generic text of the error code, which would be wrong. */
const REPLACING_DETAILS: readonly string[] = [
  // Where the money is.
  'CREDIT_NOT_CONFIRMED',
  'QR_PAID',
  'QR_EXPIRED',
  'GATEWAY_UNKNOWN',
  // What an operator has stopped.
  'STOPPED',
  'WITHDRAW_STOPPED',
  'REGISTER_STOPPED',
];

/** Text for a failure's detail from a loaded namespace; undefined if the namespace has none. */
export function detailText(failure: unknown, namespace: RefusalNamespace): string | undefined {
  const detail = failure instanceof ApiFailure ? (failure.detail ?? failure.message) : undefined;
  const text: unknown = detail && i18n.getResource(i18n.language, namespace, ['refused', detail] as never);
  return typeof text === 'string' ? text : undefined;
}

/**
 * Text of a failure's code, followed by the text of its detail. Only the detail's text if the code has no translation.
 */
export function withDetail(failure: unknown, detail: string | undefined): string {
  if (detail === undefined) return failureText(failure);
  const hidesCodeText = failure instanceof ApiFailure && REPLACING_DETAILS.includes(failure.detail ?? '');
  const codeText = failure instanceof ApiFailure && !hidesCodeText ? errorTranslation(failure.message) : undefined;
  return codeText === undefined ? detail : `${codeText}\n${detail}`;
}

/** Text of a refusal: the translated code, then the translated detail on a second line. */
export const refusalText = (failure: unknown, namespace: RefusalNamespace): string =>
  withDetail(failure, detailText(failure, namespace));

/**
 * Text for a money movement with an unknown outcome: states what happened, and that a retry does not move the money
 * twice. The namespace must be loaded.
 */
export function undecidedText(failure: unknown, namespace: 'transfer' | 'withdraw'): string[] {
  if (failure instanceof ApiFailure && failure.isUnknown) return [i18n.t(`${namespace}:unknown`)];
  return [failureText(failure), i18n.t(`${namespace}:unknownOnce`)];
}

/** Server field names for error codes and details that don't contain a field name. */
const FIELDS_BY_CODE: Readonly<Record<string, string>> = {
  EXISTING_USER: 'username',
  PHONE_NUMBER_REQUIRE_10_DIGIT: 'username',
  PHONE_NOT_MOBILE: 'username',
  EXISTING_BANK: 'bankAccountNo',
};

/** Form field that a failure concerns; undefined if the form doesn't have that field. */
export function refusedField<Field extends string>(failure: unknown, fields: readonly Field[]): Field | undefined {
  if (!(failure instanceof ApiFailure)) return undefined;
  const { message, detail = '' } = failure;
  const refusedName = FIELDS_BY_CODE[message] ?? FIELDS_BY_CODE[detail] ?? detail;
  return fields.find((field) => field === refusedName);
}

/** A refused form: the error belongs to one field or to the whole form. */
type FormRefusal<Field> = {
  field: Field | undefined;
  errorAt: (field: Field) => string | undefined;
  formError: string | undefined;
};

/**
 * Assigns a refusal to its field if the form has that field, else to the whole form.
 * @param fields of the form, by server name
 */
export function formRefusal<Field extends string>(failure: unknown, fields: readonly Field[]): FormRefusal<Field> {
  const text = failure ? refusalText(failure, 'errors') : undefined;
  const field = refusedField(failure, fields);
  return { field, errorAt: (name) => (name === field ? text : undefined), formError: field ? undefined : text };
}

/**
 * Text for the `message` of a successful reply: from the section `message` of a loaded namespace, else the message
 * itself.
 */
export function messageText(message: string, namespace: 'bonus' | 'refund', values: Record<string, string>): string {
  const text: unknown = i18n.getResource(i18n.language, namespace, ['message', message] as never);
  return typeof text === 'string' ? i18n.t(`${namespace}:message.${message}` as never, values) : message;
}
