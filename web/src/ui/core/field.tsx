import { useId, type ReactNode } from 'react';

/** What the input of a field must carry, so that its label, hint and error belong to it. */
export type FieldInput = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

export type FieldProps = {
  label: string;
  /** Said before anything is wrong. */
  hint?: ReactNode;
  /** What is wrong and what to do; replaces the hint and is read out when it appears. */
  error?: string | undefined;
  children: (input: FieldInput) => ReactNode;
};

/** Label, input, and the line below it that says what is expected or what is wrong. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}note`;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium text-muted">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': error || hint ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <p
        id={noteId}
        role={error ? 'alert' : undefined}
        className={`mt-1 text-sm whitespace-pre-line ${error ? 'text-coral' : 'text-faint'}`}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

/** The look of whatever one types or chooses in. 16 px or more, or phones zoom in. */
export const inputClass = 'input';

/** What the server answered to a form, read out when it comes. Nothing while there is nothing to say. */
export function FormFailure({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p role="alert" className="rounded-md bg-coral-deep px-4 py-3 whitespace-pre-line text-coral">
      {text}
    </p>
  );
}

/** Moves focus to the input of a form that has this name: the first that has to be corrected. */
export function focusField(form: HTMLFormElement | null, name: string): void {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLElement) input.focus();
}
