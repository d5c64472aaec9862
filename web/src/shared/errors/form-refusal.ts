import { ApiFailure } from '../../api/failure.ts';
import { refusalText } from './refusal-text.ts';

/** Fields, as the server calls them, of refusals whose code or detail says what is wrong rather than where. */
const FIELDS_BY_CODE: Readonly<Record<string, string>> = {
  EXISTING_USER: 'username',
  PHONE_NUMBER_REQUIRE_10_DIGIT: 'username',
  PHONE_NOT_MOBILE: 'username',
  EXISTING_BANK: 'bankAccountNo',
};

/** The field, among those given, that a failure is about. */
export function refusedField<Field extends string>(failure: unknown, fields: readonly Field[]): Field | undefined {
  if (!(failure instanceof ApiFailure)) return undefined;
  const { message, detail = '' } = failure;
  const named = FIELDS_BY_CODE[message] ?? FIELDS_BY_CODE[detail] ?? detail;
  return fields.find((field) => field === named);
}

/** What was refused of a form: a text at the field that it is about, or one for the form as a whole. */
type FormRefusal<Field> = {
  field: Field | undefined;
  at: (field: Field) => string | undefined;
  whole: string | undefined;
};

/**
 * Where to display why the server refused a form: at the field that it is about, where the form has that one.
 * @param fields of the form, as the server calls them
 */
export function formRefusal<Field extends string>(failure: unknown, fields: readonly Field[]): FormRefusal<Field> {
  const text = failure ? refusalText(failure, 'errors') : undefined;
  const field = refusedField(failure, fields);
  return { field, at: (one) => (one === field ? text : undefined), whole: field ? undefined : text };
}
