import type { BankFields } from './bank-step.tsx';
import type { SentCode } from './phone-step.tsx';
import type { ProfileFields } from './profile-step.tsx';

export type Step = 'phone' | 'code' | 'profile' | 'bank';

/** What a person has typed into the wizard so far. Passwords are never kept. */
export type KeptVisit = {
  step: Step;
  phone: string;
  codes: { phone: string; sent: SentCode } | undefined;
  profile: ProfileFields;
  bank: BankFields;
};

/** Ends with the tab, and with the registration. */
const KEY = 'registration';

/** A reload goes on where the person was; at the latest where passwords are typed, for those have to be typed again. */
export function readKeptVisit(): KeptVisit | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(KEY);
    if (!text) return undefined;
    const kept = JSON.parse(text) as KeptVisit;
    return { ...kept, step: kept.step === 'bank' ? 'profile' : kept.step };
  } catch {
    // No storage, or a foreign value: the wizard starts again.
    return undefined;
  }
}

export function keepVisit(visit: KeptVisit): void {
  const profile = { ...visit.profile, password: '', confirmPassword: '' };
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...visit, profile }));
  } catch {
    // Refused: a reload starts again.
  }
}

export function forgetVisit(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
