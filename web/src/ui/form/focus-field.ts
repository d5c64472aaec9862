/** Moves focus to the input of a form that has this name: the first that has to be corrected. */
export function focusField(form: HTMLFormElement | null, name: string): void {
  const input = form?.elements.namedItem(name);
  if (input instanceof HTMLElement) input.focus();
}
