import { storedToken } from '../api/session.ts';
import { type FormField, isFormField, setCheckedAsClicked, setValueAsTyped } from './restore-inputs.ts';

/**
 * Typed input that survives a reload of the app: saved in session storage before the reload, and written into the same
 * fields as soon as they are shown again.
 */
type SavedInputs = {
  savedAt: number;
  /** Start of the session token: input of one session is never shown in another. */
  session: string | null;
  /** Values by field; `true` for a checked box. */
  values: Record<string, string | boolean>;
};

const SAVED_INPUTS_KEY = 'typed-inputs';
/** A form in a dialog may be opened again some minutes after the reload. */
const LIFETIME_MS = 600_000;
const FIELD_SELECTOR = 'input, select, textarea';
/** Passwords, one-time codes and account numbers are never saved, nor what a member can't type. */
const SECRET_AUTOCOMPLETE = /password|one-time-code/;
const SECRET_NAME = /password|account|otp/i;
const UNSAVED_TYPES: readonly string[] = ['password', 'file', 'hidden', 'radio'];

const isBox = (field: FormField): field is HTMLInputElement => field.type === 'checkbox';

const isSaved = (field: FormField): boolean =>
  !UNSAVED_TYPES.includes(field.type) &&
  !SECRET_AUTOCOMPLETE.test(field.autocomplete) &&
  !SECRET_NAME.test(field.name) &&
  field.dataset.secret === undefined &&
  !field.disabled &&
  !('readOnly' in field && field.readOnly) &&
  // A placeholder may contain an inert copy of the form.
  field.closest('header, [inert]') === null;

/** Identifies a field by the title of its dialog and its name, or its label if it has no name. */
function fieldKey(field: FormField): string {
  const titleId = field.closest('dialog')?.getAttribute('aria-labelledby');
  const title = (titleId && document.getElementById(titleId)?.textContent) || '';
  return `${title}: ${field.name || field.ariaLabel || (field.labels?.[0]?.textContent ?? '')}`;
}

const savableFields = (): FormField[] =>
  [...document.querySelectorAll(FIELD_SELECTOR)].filter(isFormField).filter(isSaved);

const sessionMark = (): string | null => storedToken()?.slice(0, 8) ?? null;

function store(saved: SavedInputs): void {
  try {
    if (Object.keys(saved.values).length === 0) sessionStorage.removeItem(SAVED_INPUTS_KEY);
    else sessionStorage.setItem(SAVED_INPUTS_KEY, JSON.stringify(saved));
  } catch {
    // Storage refused the values: they are lost with the reload.
  }
}

/** Saves the values of all open forms. Call it directly before a reload. */
export function saveInputs(): void {
  const values: SavedInputs['values'] = {};
  for (const field of savableFields()) {
    if (isBox(field) ? field.checked : field.value !== '') values[fieldKey(field)] = isBox(field) || field.value;
  }
  store({ savedAt: Date.now(), session: sessionMark(), values });
}

function readSaved(): SavedInputs | undefined {
  try {
    const saved = JSON.parse(sessionStorage.getItem(SAVED_INPUTS_KEY) ?? 'null') as SavedInputs | null;
    if (saved && saved.session === sessionMark() && Date.now() - saved.savedAt < LIFETIME_MS) return saved;
    sessionStorage.removeItem(SAVED_INPUTS_KEY);
  } catch {
    // Storage is unavailable or its value is malformed: there is nothing to restore.
  }
  return undefined;
}

function restoreField(field: FormField, value: string | boolean): void {
  if (isBox(field)) {
    if (!field.checked) setCheckedAsClicked(field, true);
  } else if (field.value !== value) setValueAsTyped(field, String(value));
}

/** Restores the values saved before a reload, each once its field is shown. Call it after the first render. */
export function restoreSavedInputs(): void {
  if (!readSaved()) return;
  const restoreShown = (): void => {
    const saved = readSaved();
    if (!saved) return observer.disconnect();
    for (const field of savableFields()) {
      const key = fieldKey(field);
      const value = saved.values[key];
      if (value === undefined) continue;
      delete saved.values[key];
      store(saved);
      restoreField(field, value);
    }
  };
  const observer = new MutationObserver(restoreShown);
  observer.observe(document.body, { childList: true, subtree: true });
  restoreShown();
}
