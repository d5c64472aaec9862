import { useId, type ReactNode } from 'react';

/** Attributes that connect an input with its label, hint and error. */
export type FieldInput = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

export type FieldProps = {
  label: string;
  /** Shown without an error. */
  hint?: ReactNode;
  /** What is wrong and how to fix it; replaces the hint and is announced. */
  error?: string | undefined;
  children: (input: FieldInput) => ReactNode;
};

/** Label, input, and hint or error. */
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

/** Style of inputs. At least 16 px, below which phones zoom in. */
export const inputClass = 'input';

/** The server's refusal of a form, announced when it appears. */
export function FormFailure({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p role="alert" className="rounded-md bg-coral-deep px-4 py-3 whitespace-pre-line text-coral">
      {text}
    </p>
  );
}

/** Moves the focus to the named input of a form. */
export function focusField(form: HTMLFormElement | null, name: string): void {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLElement) input.focus();
}
