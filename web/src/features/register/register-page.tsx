import { REGISTERED_REDIRECT_MS } from '@krapao/contract/constants';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { useLookup } from '../../api/lookup.ts';
import { Card } from '../../ui/core/card.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { refusedField } from '../../shared/refusal-text.ts';
import { BANK_REFUSED, BankStep, holderName, type BankFields } from './bank-step.tsx';
import { CodeStep } from './code-step.tsx';
import {
  forgetInviteCode,
  saveInviteCode,
  type RegistrationDraft,
  readDraft,
  type RegistrationStep,
  useRegistrationDraft,
} from './registration-draft.ts';
import { PhoneStep } from './phone-step.tsx';
import { PROFILE_REFUSED, ProfileStep } from './profile-step.tsx';

const words = { phone: 'stepPhone', code: 'stepCode', profile: 'stepProfile', bank: 'stepBank' } as const;

/** Moves the focus to a new step, so that it is read out; not to the first one. */
function useStepFocus(step: RegistrationStep) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    // Scrolls to the top of the new step, below the top bar.
    scrollTo(0, 0);
    (place.current?.querySelector<HTMLElement>('[data-autofocus]') ?? place.current)?.focus({ preventScroll: true });
  }, [step]);
  return place;
}

/** Opens the login page with the phone filled in, after a pause to read the confirmation. */
function useGoToLogin(phone: string) {
  const [isRegistered, setRegistered] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const goToLogin = (): void => {
    setRegistered(true);
    const leave = (): void => navigate('/login', { replace: true, state: { phone } });
    timer.current = setTimeout(leave, REGISTERED_REDIRECT_MS);
  };
  return { isRegistered, goToLogin };
}

/** Steps with their fields that the server may refuse. */
const STEP_FIELDS: readonly [RegistrationStep, readonly string[]][] = [
  ['phone', ['username']],
  ['profile', PROFILE_REFUSED],
  ['bank', BANK_REFUSED],
];

/** Returns to the step that a refusal concerns, which shows it at the field. */
function useRefusal(step: RegistrationStep, phone: string, setStep: (step: RegistrationStep) => void) {
  const [refused, setRefused] = useState<{ step: RegistrationStep; phone: string; failure: unknown }>();
  function goToRefused(failure: unknown): boolean {
    // The verification of the phone expired during registration.
    const isUnproved = failure instanceof ApiFailure && failure.message === 'UNVERIFIED_OTP';
    const at = isUnproved ? 'phone' : STEP_FIELDS.find(([, fields]) => refusedField(failure, fields))?.[0];
    if (at === undefined || at === step) return false;
    if (isUnproved) toast.danger(failureText(failure));
    setRefused(isUnproved ? undefined : { step: at, phone, failure });
    setStep(at);
    return true;
  }
  // The phone is verified or needs no verification. Only a registered number is refused here; step 3 validates the
  // rest.
  async function showProfile(otpToken: string): Promise<void> {
    try {
      await call('POST /api/account/validate', { body: { username: phone, otpToken } });
    } catch (failure) {
      if (failure instanceof ApiFailure && failure.message === 'EXISTING_USER') {
        setRefused({ step: 'phone', phone, failure });
        return setStep('phone');
      }
    }
    setStep('profile');
  }
  return {
    refusal: refused?.step === step && refused.phone === phone ? refused.failure : undefined,
    goToRefused,
    showProfile,
    clearRefusal: () => setRefused(undefined),
  };
}

/** Fields of step 4 in wire format. */
const bankBody = (typed: BankFields) => ({
  bankCode: typed.bankCode,
  bankAccountName: holderName(typed),
  bankAccountNo: typed.accountNo,
  currency: typed.currency,
});

/** The wizard with the draft of this visit. A prerendered page hydrates empty and reads the draft afterwards. */
export function RegisterPage() {
  const isAlive = useHydrated();
  const [found] = useState(readDraft);
  const kept = isAlive ? found : undefined;
  return <Wizard key={kept ? 'kept' : 'new'} kept={kept} />;
}

/** The input survives going back and reloading, except for the passwords. */
function Wizard({ kept }: { kept: RegistrationDraft | undefined }) {
  const { t } = useTranslation('register');
  const visit = useRegistrationDraft(kept);
  const { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank } = visit;
  const needsCode = useLookup('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
  // A code only verifies the phone that it was sent to.
  const sent = codes?.phone === phone ? codes.sent : undefined;
  const place = useStepFocus(step);
  const [unknownCode, setUnknownCode] = useState<string>();
  const { isRegistered, goToLogin } = useGoToLogin(phone);
  const { refusal, goToRefused, showProfile, clearRefusal } = useRefusal(step, phone, setStep);

  useEffect(() => saveInviteCode(location.search), []);

  async function register(typed: BankFields): Promise<void> {
    try {
      const { confirmPassword: _, ...account } = profile;
      const proof = { username: phone, otpToken: sent?.otpToken ?? '' };
      await call('POST /api/account', { body: { ...account, ...proof, ...bankBody(typed) } });
    } catch (failure) {
      if (goToRefused(failure)) return;
      throw failure;
    }
    visit.end();
    forgetInviteCode();
    toast.success(t('success'));
    goToLogin();
    // Never resolves before the page is left, so that nothing is registered twice.
    await new Promise(() => undefined);
  }

  const order: RegistrationStep[] = needsCode ? ['phone', 'code', 'profile', 'bank'] : ['phone', 'profile', 'bank'];
  return (
    <div className="mx-auto w-full max-w-md">
      <h1 className="mb-4 text-2xl font-bold">{t('title')}</h1>
      <Card>
        <div ref={place} tabIndex={-1} className="outline-none">
          <StepProgress step={order.indexOf(step) + 1} steps={order.length} name={t(words[step])} />
          {step === 'phone' && (
            <PhoneStep
              phone={phone}
              sent={sent}
              refusal={refusal}
              onPhone={setPhone}
              onDone={async (code) => {
                clearRefusal();
                if (!code) return showProfile(sent?.otpToken ?? '');
                setCodes({ phone, sent: code });
                setStep('code');
              }}
            />
          )}
          {step === 'code' && sent && (
            <CodeStep
              phone={phone}
              sent={sent}
              onSent={(code) => setCodes({ phone, sent: code })}
              onDone={() => showProfile(sent.otpToken)}
              onBack={() => setStep('phone')}
            />
          )}
          {step === 'profile' && (
            <ProfileStep
              phone={phone}
              currency={bank.currency}
              otpToken={sent?.otpToken ?? ''}
              fields={profile}
              onFields={setProfile}
              onDone={(code) => {
                clearRefusal();
                setUnknownCode(code);
                setStep('bank');
              }}
              onBack={() => setStep('phone')}
              refusal={refusal}
              onRefused={goToRefused}
            />
          )}
          {step === 'bank' && (
            <BankStep
              fields={bank}
              onFields={setBank}
              onSubmit={register}
              onBack={() => setStep('profile')}
              unknownCode={unknownCode}
              done={isRegistered}
            />
          )}
        </div>
      </Card>
      <LoginLink />
    </div>
  );
}

/** Link for members who opened this page by mistake. */
function LoginLink() {
  const { t } = useTranslation('register');
  return (
    <p className="mt-5 text-center text-muted">
      {t('haveAccount')}{' '}
      <Link
        href="/login"
        className="inline-flex min-h-11 items-center px-2 font-semibold text-gold-lit underline underline-offset-4"
      >
        {t('login')}
      </Link>
    </p>
  );
}

/** Position in the wizard, as a bar and as text. */
export function StepProgress({ step, steps, name }: { step: number; steps: number; name: string }) {
  const { t } = useTranslation('register');
  return (
    <div className="mb-5">
      <div className="flex gap-1.5" aria-hidden="true">
        {Array.from({ length: steps }, (_, i) => (
          <span key={i} className={`h-1.5 grow rounded-full ${i < step ? 'bg-gold' : 'bg-line'}`} />
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">{t('progress', { step, steps })}</p>
      <h2 className="text-lg font-semibold">{name}</h2>
    </div>
  );
}
