export type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export const isFormField = (target: unknown): target is FormField =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/**
 * Sets a field's value as if it were typed. React overrides the element's value setter. Emptying uses that setter and
 * writing bypasses it, so that React detects a change.
 */
export function setValueAsTyped(field: FormField, value: string): void {
  field.value = '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Sets a checkbox as if it were clicked. */
export function setCheckedAsClicked(field: HTMLInputElement, checked: boolean): void {
  field.checked = !checked;
  field.click();
}

/** Whether the field's state differs from the served page. */
function isEdited(field: HTMLInputElement | HTMLSelectElement): boolean {
  if (field instanceof HTMLInputElement)
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const defaultOption = [...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0];
  return field.value !== defaultOption?.value;
}

/**
 * Saves the input typed into a prerendered page before hydration, which would reset it.
 * @returns function that restores the input after hydration
 */
export function restoreInputs(root: HTMLElement): () => void {
  const typedValues = new Map<FormField, string>();
  const checkedStates = new Map<HTMLInputElement, boolean>();
  const saveField = (field: FormField): void => {
    if (field instanceof HTMLInputElement && field.type === 'checkbox') checkedStates.set(field, field.checked);
    else typedValues.set(field, field.value);
  };
  const onInput = ({ target }: Event): void => void (isFormField(target) && saveField(target));
  for (const field of root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
    if (isEdited(field)) saveField(field);
  }
  root.addEventListener('input', onInput, true);
  return () => {
    root.removeEventListener('input', onInput, true);
    for (const [field, value] of typedValues) if (field.isConnected) setValueAsTyped(field, value);
    for (const [field, checked] of checkedStates) if (field.isConnected) setCheckedAsClicked(field, checked);
  };
}
