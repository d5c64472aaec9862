type Typed = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isTyped = (target: unknown): target is Typed =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/**
 * Sets a value as if typed. React intercepts the element's own setter: emptying uses that one and writing bypasses it,
 * so that React detects a change.
 */
function typeAgain(field: Typed, value: string): void {
  field.value = '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Sets a checkbox as if clicked. */
function tickAgain(field: HTMLInputElement, checked: boolean): void {
  field.checked = !checked;
  field.click();
}

/** Whether a field differs from the served page. */
function isChanged(field: HTMLInputElement | HTMLSelectElement): boolean {
  if (field instanceof HTMLInputElement)
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const first = [...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0];
  return field.value !== first?.value;
}

/**
 * Saves input of a prerendered page before hydration, which would reset it.
 * @returns restores the input as if it were typed; call it after hydration
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
