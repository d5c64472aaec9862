type Typed = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isTyped = (target: unknown): target is Typed =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/**
 * Types a value as a person would. React remembers what it last saw in a field by a setter of its own: emptying goes
 * through that one, and writing past it, so that React sees a change.
 */
function typeAgain(field: Typed, value: string): void {
  field.value = '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Ticks or clears a box as a person would. */
function tickAgain(field: HTMLInputElement, checked: boolean): void {
  field.checked = !checked;
  field.click();
}

/** Whether a field holds something else than the page was sent with. */
function isChanged(field: HTMLInputElement | HTMLSelectElement): boolean {
  if (field instanceof HTMLInputElement)
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const first = [...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0];
  return field.value !== first?.value;
}

/**
 * Keeps what a person types into a prerendered page before it comes to life, where React would put its own empty values
 * back.
 * @returns gives it all back, as if it were typed then; call it once the page is alive
 */
export function restoreInputs(root: HTMLElement): () => void {
  const values = new Map<Typed, string>();
  const checks = new Map<HTMLInputElement, boolean>();
  const note = (field: Typed): void => {
    if (field instanceof HTMLInputElement && field.type === 'checkbox') checks.set(field, field.checked);
    else values.set(field, field.value);
  };
  const onInput = ({ target }: Event): void => void (isTyped(target) && note(target));
  for (const field of root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
    if (isChanged(field)) note(field);
  }
  root.addEventListener('input', onInput, true);
  return () => {
    root.removeEventListener('input', onInput, true);
    for (const [field, value] of values) if (field.isConnected) typeAgain(field, value);
    for (const [field, checked] of checks) if (field.isConnected) tickAgain(field, checked);
  };
}
