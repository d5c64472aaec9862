import { useEffect, useRef, useState } from 'react';
import { isLaoVariant } from '../../variant.ts';
import { forgetVisit, keepVisit, type KeptVisit } from './kept-visit.ts';

const newVisit = (): KeptVisit => ({
  step: 'phone',
  phone: '',
  codes: undefined,
  profile: { name: '', password: '', confirmPassword: '', sourceCode: '', inviteCode: '' },
  bank: { bankCode: '', accountNo: '', firstName: '', lastName: '', currency: isLaoVariant() ? 'LAK' : 'BAHT' },
});

/** What has been typed into the wizard, kept as it changes until `end` says that the registration is done. */
export function useVisit(kept: KeptVisit | undefined) {
  const [begin] = useState(() => kept ?? newVisit());
  const [step, setStep] = useState(begin.step);
  const [phone, setPhone] = useState(begin.phone);
  const [codes, setCodes] = useState(begin.codes);
  const [profile, setProfile] = useState(begin.profile);
  const [bank, setBank] = useState(begin.bank);
  const isOver = useRef(false);
  useEffect(() => {
    if (phone !== '' && !isOver.current) keepVisit({ step, phone, codes, profile, bank });
  }, [step, phone, codes, profile, bank]);
  const end = (): void => {
    isOver.current = true;
    forgetVisit();
  };
  return { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank, end };
}
