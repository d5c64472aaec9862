import type { BankFields } from './bank-step.tsx';
import type { SentCode } from './phone-step.tsx';
import type { ProfileFields } from './profile-step.tsx';
import { useEffect, useRef, useState } from 'react';
import { isLaoVariant } from '../../shell/variant.ts';
import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from '../../shell/storage.ts';

export type RegistrationStep = 'phone' | 'code' | 'profile' | 'bank';

/** Input of the wizard so far. Passwords are never stored. */
export type RegistrationDraft = {
  step: RegistrationStep;
  phone: string;
  codes: { phone: string; sent: SentCode } | undefined;
  profile: ProfileFields;
  bank: BankFields;
};

/** In session storage; deleted after the registration. */
const KEY = 'registration';

/** The draft of this tab; at most up to the step with the passwords, which have to be entered again. */
export function readDraft(): RegistrationDraft | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(KEY);
    if (!text) return undefined;
    const kept = JSON.parse(text) as RegistrationDraft;
    return { ...kept, step: kept.step === 'bank' ? 'profile' : kept.step };
  } catch {
    // No storage, or a malformed value: the wizard starts from the beginning.
    return undefined;
  }
}

export function saveDraft(visit: RegistrationDraft): void {
  const profile = { ...visit.profile, password: '', confirmPassword: '' };
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...visit, profile }));
  } catch {
    // Storage refused: a reload starts from the beginning.
  }
}

export function clearDraft(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
}

const newVisit = (): RegistrationDraft => ({
  step: 'phone',
  phone: '',
  codes: undefined,
  profile: { name: '', password: '', confirmPassword: '', sourceCode: '', inviteCode: '' },
  bank: { bankCode: '', accountNo: '', firstName: '', lastName: '', currency: isLaoVariant() ? 'LAK' : 'BAHT' },
});

/** Draft of the wizard, saved at each change until `end` is called after the registration. */
export function useRegistrationDraft(kept: RegistrationDraft | undefined) {
  const [begin] = useState(() => kept ?? newVisit());
  const [step, setStep] = useState(begin.step);
  const [phone, setPhone] = useState(begin.phone);
  const [codes, setCodes] = useState(begin.codes);
  const [profile, setProfile] = useState(begin.profile);
  const [bank, setBank] = useState(begin.bank);
  const isOver = useRef(false);
  useEffect(() => {
    if (phone !== '' && !isOver.current) saveDraft({ step, phone, codes, profile, bank });
  }, [step, phone, codes, profile, bank]);
  const end = (): void => {
    isOver.current = true;
    clearDraft();
  };
  return { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank, end };
}

const CODE_CHARACTERS_MAX = 64;

/** Stores the inviter's code of the URL (`?code=`) for later visits without it. */
export function saveInviteCode(search: string): void {
  const code = new URLSearchParams(search).get('code')?.trim().slice(0, CODE_CHARACTERS_MAX);
  if (code) writeStored(STORAGE.inviteCode, code);
}

/** The last stored code; '' without one. */
export const savedInviteCode = (): string => readStored(STORAGE.inviteCode) ?? '';

/** The code was used: the next person on this device was not invited. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);
