import { STORAGE } from '@krapao/contract/constants';
import { trimPasted } from '@krapao/contract/text/digits';
import { useEffect, useRef, useState } from 'react';
import { readStored, writeStored } from '../../browser/storage.ts';
import { isLaoVariant } from '../../browser/variant.ts';
import type { SentCode } from '../../shared/sent-code.ts';
import type { BankFields } from './bank-step.tsx';
import type { ProfileFields } from './profile-step.tsx';

export type RegistrationStep = 'phone' | 'code' | 'profile' | 'bank';

/** Input of the registration steps so far. Passwords are never stored. */
export type RegistrationDraft = {
  step: RegistrationStep;
  phone: string;
  codes: { phone: string; sent: SentCode } | undefined;
  profile: ProfileFields;
  bank: BankFields;
};

/** Key in session storage; deleted after the registration. */
const DRAFT_KEY = 'registration';

/** Reads the draft of this tab. Its step is at most the one with the passwords, which have to be entered again. */
export function readDraft(): RegistrationDraft | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(DRAFT_KEY);
    if (!text) return undefined;
    const storedDraft = JSON.parse(text) as RegistrationDraft;
    return { ...storedDraft, step: storedDraft.step === 'bank' ? 'profile' : storedDraft.step };
  } catch {
    // Storage is unavailable or its value is malformed: registration starts at the first step.
    return undefined;
  }
}

export function saveDraft(draft: RegistrationDraft): void {
  const profile = { ...draft.profile, password: '', confirmPassword: '' };
  try {
    sessionStorage.setItem(DRAFT_KEY, JSON.stringify({ ...draft, profile }));
  } catch {
    // Storage refused the draft: after a reload, registration starts at the first step.
  }
}

export function clearDraft(): void {
  try {
    sessionStorage.removeItem(DRAFT_KEY);
  } catch {
    // Storage is unavailable, so nothing was stored.
  }
}

const createEmptyDraft = (): RegistrationDraft => ({
  step: 'phone',
  phone: '',
  codes: undefined,
  profile: { name: '', password: '', confirmPassword: '', sourceCode: '', inviteCode: '' },
  bank: { bankCode: '', accountNo: '', firstName: '', lastName: '', currency: isLaoVariant() ? 'LAK' : 'BAHT' },
});

/** State of the registration steps, stored at each change until `endDraft` is called after the registration. */
export function useRegistrationDraft(storedDraft: RegistrationDraft | undefined) {
  const [initialDraft] = useState(() => storedDraft ?? createEmptyDraft());
  const [step, setStep] = useState(initialDraft.step);
  const [phone, setPhone] = useState(initialDraft.phone);
  const [codes, setCodes] = useState(initialDraft.codes);
  const [profile, setProfile] = useState(initialDraft.profile);
  const [bank, setBank] = useState(initialDraft.bank);
  const isDeleted = useRef(false);
  useEffect(() => {
    if (phone !== '' && !isDeleted.current) saveDraft({ step, phone, codes, profile, bank });
  }, [step, phone, codes, profile, bank]);
  const endDraft = (): void => {
    isDeleted.current = true;
    clearDraft();
  };
  return { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank, endDraft };
}

const CODE_CHARACTERS_MAX = 64;

/** Stores the inviter's code from the URL (`?code=`) for later visits without the code. */
export function saveInviteCode(search: string): void {
  const code = trimPasted(new URLSearchParams(search).get('code') ?? '').slice(0, CODE_CHARACTERS_MAX);
  if (code) writeStored(STORAGE.inviteCode, code);
}

/** The last stored invite code; '' if there is none. */
export const savedInviteCode = (): string => readStored(STORAGE.inviteCode) ?? '';

/** Deletes the used invite code: another person on this device was not invited. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);
