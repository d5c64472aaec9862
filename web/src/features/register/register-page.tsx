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

/** Moves focus to a step when it comes, so that it is read out; not to the first one, where nothing has changed. */
function useStepFocus(step: RegistrationStep) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    // The step before may have been scrolled; this one is read from its top, which the top bar must not cover.
    scrollTo(0, 0);
    (place.current?.querySelector<HTMLElement>('[data-autofocus]') ?? place.current)?.focus({ preventScroll: true });
  }, [step]);
  return place;
}

/** Leaves for the login page once the member has read that they are registered, with their phone filled in there. */
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
    // The proof of the phone expired while the form was filled in.
    const isUnproved = failure instanceof ApiFailure && failure.message === 'UNVERIFIED_OTP';
    const at = isUnproved ? 'phone' : STEP_FIELDS.find(([, fields]) => refusedField(failure, fields))?.[0];
    if (at === undefined || at === step) return false;
    if (isUnproved) toast.danger(failureText(failure));
    setRefused(isUnproved ? undefined : { step: at, phone, failure });
    setStep(at);
    return true;
  }
  // The phone is proved or needs no proof. Only a registered number is refused here; step 3 checks the rest.
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

/** The fields of step 4 as they are sent. */
const bankBody = (typed: BankFields) => ({
  bankCode: typed.bankCode,
  bankAccountName: holderName(typed),
  bankAccountNo: typed.accountNo,
  currency: typed.currency,
});

/** The wizard, as it was left in this visit; a prerendered page comes to life empty, and only then looks for that. */
export function RegisterPage() {
  const isAlive = useHydrated();
  const [found] = useState(readDraft);
  const kept = isAlive ? found : undefined;
  return <Wizard key={kept ? 'kept' : 'new'} kept={kept} />;
}

/** What was typed stays while one goes back and forth, and over a reload of the page, but for the passwords. */
function Wizard({ kept }: { kept: RegistrationDraft | undefined }) {
  const { t } = useTranslation('register');
  const visit = useRegistrationDraft(kept);
  const { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank } = visit;
  const needsCode = useLookup('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
  // A code proves the phone that it was sent to, and no other.
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

/** The way out for members who came here by mistake. */
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

/** Where in the wizard one is: a strand of gold, and the same in words. */
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
