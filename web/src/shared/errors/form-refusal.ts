import { ApiFailure } from '../../api/failure.ts';
import { refusalText } from './refusal-text.ts';

/** Server field names of refusals whose code or detail does not name the field. */
const FIELDS_BY_CODE: Readonly<Record<string, string>> = {
  EXISTING_USER: 'username',
  PHONE_NUMBER_REQUIRE_10_DIGIT: 'username',
  PHONE_NOT_MOBILE: 'username',
  EXISTING_BANK: 'bankAccountNo',
};

/** The field of `fields` that a failure concerns. */
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
 * Where to show a refusal of a form: at the field that it concerns, if the form has it.
 * @param fields of the form, as the server calls them
 */
export function formRefusal<Field extends string>(failure: unknown, fields: readonly Field[]): FormRefusal<Field> {
  const text = failure ? refusalText(failure, 'errors') : undefined;
  const field = refusedField(failure, fields);
  return { field, at: (one) => (one === field ? text : undefined), whole: field ? undefined : text };
}
