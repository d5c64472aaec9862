import { storedPhone, storedToken } from '../api/session.ts';
import { type FormField, isFormField, setCheckedAsClicked, setValueAsTyped } from '../browser/restore-inputs.ts';

/**
 * Typed input that survives a reload of the app and the end of a session: saved in session storage before it, and
 * written into the same fields as soon as they are shown again.
 */
type SavedInputs = {
  expiresAt: number;
  /** Start of the session token: input of one member is never shown to another. */
  session: string | null;
  /** Set after the session has ended: the next session of the member with this phone takes the input over. */
  phone?: string;
  /** Values by field; `true` for a checked box. */
  values: Record<string, string | boolean>;
};

/** Address that opens the shown sheet again; undefined without one. */
let sheetAddress: string | undefined;

export const openSheetAddress = (): string | undefined => sheetAddress;
export const setOpenSheetAddress = (address: string | undefined): void => void (sheetAddress = address);

const SAVED_INPUTS_KEY = 'typed-inputs';
/** A form in a dialog may be opened again some minutes after the reload. */
const LIFETIME_MS = 600_000;
/** A member who asks support for a new password is back within the hour. */
const ENDED_LIFETIME_MS = 3_600_000;
const FIELD_SELECTOR = 'input, select, textarea';
/** Passwords, one-time codes and account numbers are never saved, nor what a member can't type. */
const SECRET_AUTOCOMPLETE = /password|one-time-code/;
const SECRET_NAME = /password|account|otp/i;
const UNSAVED_TYPES: readonly string[] = ['password', 'file', 'hidden', 'radio'];

const isBox = (field: FormField): field is HTMLInputElement => field.type === 'checkbox';

const isTypable = (field: FormField): boolean =>
  !UNSAVED_TYPES.includes(field.type) &&
  !SECRET_AUTOCOMPLETE.test(field.autocomplete) &&
  !SECRET_NAME.test(field.name) &&
  field.dataset.secret === undefined &&
  !field.disabled &&
  !('readOnly' in field && field.readOnly);

/** Fields with `data-amount` may be locked or hidden while the amount is reviewed and sent. */
const isSaved = (field: FormField): boolean =>
  (field.dataset.amount === undefined ? isTypable(field) : field.dataset.sent === undefined) &&
  // A placeholder may contain an inert copy of the form.
  field.closest('header, [inert]') === null;

/**
 * Excludes the shown amounts from saving: the outcome of their command is unknown, and an amount that is filled in
 * again could be sent twice.
 */
export function excludeSentAmounts(): void {
  for (const field of document.querySelectorAll<HTMLElement>('[data-amount]')) field.dataset.sent = '';
}

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

function typedValues(): SavedInputs['values'] {
  const values: SavedInputs['values'] = {};
  for (const field of savableFields()) {
    if (isBox(field) ? field.checked : field.value !== '') values[fieldKey(field)] = isBox(field) || field.value;
  }
  return values;
}

/** Saves the values of all open forms. Call it directly before a reload. */
export function saveInputs(): void {
  store({ expiresAt: Date.now() + LIFETIME_MS, session: sessionMark(), values: typedValues() });
}

/**
 * Saves the values of all open forms for the next session of the same member.
 * @param endSession called once the values are read: it removes the forms
 */
export function saveInputsBeyondSession(phone: string, endSession: () => void): void {
  const values = typedValues();
  endSession();
  if (phone !== '') store({ expiresAt: Date.now() + ENDED_LIFETIME_MS, session: null, phone, values });
}

function readSaved(): SavedInputs | undefined {
  try {
    const saved = JSON.parse(sessionStorage.getItem(SAVED_INPUTS_KEY) ?? 'null') as SavedInputs | null;
    const session = sessionMark();
    if (saved && Date.now() < saved.expiresAt) {
      if (saved.phone === undefined ? saved.session === session : saved.phone === storedPhone()) return saved;
      // The member has not logged in again yet.
      if (saved.phone !== undefined && session === null) return undefined;
    }
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

/**
 * Restores the values saved before a reload or a login, each once its field is shown. Call it after the first render,
 * and after a login.
 */
export function restoreSavedInputs(): void {
  const savedBefore = readSaved();
  if (!savedBefore) return;
  if (savedBefore.phone !== undefined)
    store({ expiresAt: Date.now() + LIFETIME_MS, session: sessionMark(), values: savedBefore.values });
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
