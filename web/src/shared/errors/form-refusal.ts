import { ApiFailure } from '../../api/failure.ts';
import { refusalText } from './refusal-text.ts';

/** What was refused of a form: a text at the field that it is about, or one for the form as a whole. */
type FormRefusal<Field> = {
  field: Field | undefined;
  at: (field: Field) => string | undefined;
  whole: string | undefined;
};

/**
 * Where to say what the server has against what was typed: at the field that it names, where the form has that one.
 * @param fields of the form, as the server calls them
 */
export function formRefusal<Field extends string>(failure: unknown, fields: readonly Field[]): FormRefusal<Field> {
  const text = failure ? refusalText(failure, 'errors') : undefined;
  const field = failure instanceof ApiFailure ? fields.find((one) => one === failure.detail) : undefined;
  return { field, at: (one) => (one === field ? text : undefined), whole: field ? undefined : text };
}
