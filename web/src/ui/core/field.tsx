import { useId, type ReactNode } from 'react';

/** Attributes that connect an input with its label, hint and error. */
export type FieldInput = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

export type FieldProps = {
  label: string;
  /** The label is for screen readers only: a search field has an icon and a placeholder. */
  isLabelHidden?: boolean | undefined;
  /** Shown if there is no error. */
  hint?: ReactNode;
  /** The error and how to fix it. Replaces the hint and is announced by screen readers. */
  error?: string | undefined;
  children: (input: FieldInput) => ReactNode;
};

/** Wraps an input with its label and its hint or error. */
export function Field({ label, isLabelHidden, hint, error, children }: FieldProps) {
  const id = useId();
  const messageId = `${id}note`;
  return (
    <div>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1 block text-sm font-medium text-muted'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': error || hint ? messageId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <p
        id={messageId}
        role={error ? 'alert' : undefined}
        className={`mt-1 text-sm whitespace-pre-line ${error ? 'text-coral' : 'text-faint'}`}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

/** Class of text inputs. Text is at least 16 px: phones zoom into smaller inputs. */
export const inputClass = 'input';

/** The server's refusal of a form; screen readers announce it when it appears. */
export function FormFailure({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p role="alert" className="rounded-md bg-coral-deep px-4 py-3 whitespace-pre-line text-coral">
      {text}
    </p>
  );
}

/** Focuses the input with this name in a form. */
export function focusField(form: HTMLFormElement | null, name: string): void {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLElement) input.focus();
}
