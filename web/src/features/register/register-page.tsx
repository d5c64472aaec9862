import { REGISTERED_REDIRECT_MS } from '@krapao/contract/constants';
import { useEffect, useRef, useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import type { CodeStepProps } from '../../shared/code-step.tsx';
import { refusedField } from '../../shared/refusal-text.ts';
import { Card } from '../../ui/core/card.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { BANK_REFUSED, BankStep, holderName, type BankFields } from './bank-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { PROFILE_REFUSED, ProfileStep } from './profile-step.tsx';
import {
  forgetInviteCode,
  savedInviteCode,
  saveInviteCode,
  type RegistrationDraft,
  readDraft,
  type RegistrationStep,
  useRegistrationDraft,
} from './registration-draft.ts';

const stepNameKeys = { phone: 'stepPhone', code: 'stepCode', profile: 'stepProfile', bank: 'stepBank' } as const;

/** Moves the focus to each new step, so that screen readers announce it. The first step gets no focus. */
function useStepFocus(step: RegistrationStep) {
  const stepRef = useRef<HTMLDivElement>(null);
  const shownStep = useRef(step);
  useEffect(() => {
    if (shownStep.current === step) return;
    shownStep.current = step;
    // Scrolls to the top of the new step, below the top bar.
    scrollTo(0, 0);
    (stepRef.current?.querySelector<HTMLElement>('[data-autofocus]') ?? stepRef.current)?.focus({
      preventScroll: true,
    });
  }, [step]);
  return stepRef;
}

const importCodeStep = async (): Promise<ComponentType<CodeStepProps>> =>
  (await import('../../shared/code-step.tsx')).CodeStep;

/** The step of the code, loaded while the phone number is typed, or after a reload at this step. */
function useCodeStep(step: RegistrationStep) {
  const [CodeStep, setCodeStep] = useState<ComponentType<CodeStepProps>>();
  useEffect(() => {
    importCodeStep().then(
      (loaded) => setCodeStep(() => loaded),
      (failure: unknown) => {
        // Shown by the error boundary. At another step, the next attempt to load it reports the failure.
        if (step !== 'code') return;
        setCodeStep(() => {
          throw failure;
        });
      },
    );
  }, [step]);
  const loadCodeStep = async (): Promise<void> => {
    const loaded = await importCodeStep();
    setCodeStep(() => loaded);
  };
  return { CodeStep, loadCodeStep };
}

/** Opens the login page with the phone number filled in, after a pause for reading the confirmation. */
function useGoToLogin(phone: string) {
  const [isRegistered, setRegistered] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const goToLogin = (): void => {
    setRegistered(true);
    const openLogin = (): void => navigate('/login', { replace: true, state: { phone } });
    timer.current = setTimeout(openLogin, REGISTERED_REDIRECT_MS);
  };
  return { isRegistered, goToLogin };
}

/** Steps with those of their fields that the server may refuse. */
const STEP_FIELDS: readonly [RegistrationStep, readonly string[]][] = [
  ['phone', ['username']],
  ['profile', PROFILE_REFUSED],
  ['bank', BANK_REFUSED],
];

/** Opens the step that a refusal concerns; the step shows the error at its field. */
function useRefusal(step: RegistrationStep, phone: string, setStep: (step: RegistrationStep) => void) {
  const [refusal, setRefusal] = useState<{ step: RegistrationStep; phone: string; failure: unknown }>();
  function goToRefusedStep(failure: unknown): boolean {
    // The verification of the phone has expired during registration.
    const isPhoneUnverified = failure instanceof ApiFailure && failure.message === 'UNVERIFIED_OTP';
    const refusedStep = isPhoneUnverified
      ? 'phone'
      : STEP_FIELDS.find(([, fields]) => refusedField(failure, fields))?.[0];
    if (refusedStep === undefined || refusedStep === step) return false;
    if (isPhoneUnverified) toast.danger(failureText(failure));
    setRefusal(isPhoneUnverified ? undefined : { step: refusedStep, phone, failure });
    setStep(refusedStep);
    return true;
  }
  // Opens step 3 after the phone was verified or needs no verification. Here only a registered number is refused; step
  // 3 validates the rest.
  async function showProfile(otpToken: string): Promise<void> {
    try {
      await call('POST /api/account/validate', { body: { username: phone, otpToken } });
    } catch (failure) {
      if (failure instanceof ApiFailure && failure.message === 'EXISTING_USER') {
        setRefusal({ step: 'phone', phone, failure });
        return setStep('phone');
      }
    }
    setStep('profile');
  }
  return {
    refusal: refusal?.step === step && refusal.phone === phone ? refusal.failure : undefined,
    goToRefusedStep,
    showProfile,
    clearRefusal: () => setRefusal(undefined),
  };
}

/** Fields of step 4 as request body. */
const bankBodyOf = (bankFields: BankFields) => ({
  bankCode: bankFields.bankCode,
  bankAccountName: holderName(bankFields),
  bankAccountNo: bankFields.accountNo,
  currency: bankFields.currency,
});

/**
 * The registration page with the stored draft of this visit. A prerendered page hydrates without the draft and reads it
 * afterwards.
 */
export function RegisterPage() {
  const isHydrated = useHydrated();
  const [storedDraft] = useState(readDraft);
  const draft = isHydrated ? storedDraft : undefined;
  return <RegistrationWizard key={draft ? 'kept' : 'new'} draft={draft} />;
}

/** The registration steps. Input survives Back and reloading, except for the passwords. */
function RegistrationWizard({ draft }: { draft: RegistrationDraft | undefined }) {
  const { t } = useTranslation('register');
  const draftState = useRegistrationDraft(draft);
  const { step, setStep, phone, setPhone, codes, setCodes, profile, setProfile, bank, setBank } = draftState;
  const needsCode = useOperatorData('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
  // A code is used only for the phone to which it was sent.
  const sentCode = codes?.phone === phone ? codes.sent : undefined;
  const { CodeStep, loadCodeStep } = useCodeStep(step);
  const stepRef = useStepFocus(step);
  const [unknownCode, setUnknownCode] = useState<string>();
  const { isRegistered, goToLogin } = useGoToLogin(phone);
  const { refusal, goToRefusedStep, showProfile, clearRefusal } = useRefusal(step, phone, setStep);

  async function register(bankFields: BankFields): Promise<void> {
    try {
      const { confirmPassword: _, ...account } = profile;
      const phoneProof = { username: phone, otpToken: sentCode?.otpToken ?? '' };
      await call('POST /api/account', { body: { ...account, ...phoneProof, ...bankBodyOf(bankFields) } });
    } catch (failure) {
      if (goToRefusedStep(failure)) return;
      throw failure;
    }
    draftState.endDraft();
    forgetInviteCode();
    toast.success(t('success'));
    goToLogin();
    // Never resolves, so that nothing is registered twice before the page changes.
    await new Promise(() => undefined);
  }

  return (
    <div className="mx-auto w-full max-w-md">
      <h1 className="text-2xl font-bold">{t('title')}</h1>
      <Inviter />
      <Card>
        <div ref={stepRef} tabIndex={-1} className="outline-none">
          <StepProgress step={step} needsCode={needsCode} />
          {step === 'phone' && (
            <PhoneStep
              phone={phone}
              sentCode={sentCode}
              refusal={refusal}
              onPhone={setPhone}
              onDone={async (code) => {
                clearRefusal();
                if (!code) return showProfile(sentCode?.otpToken ?? '');
                setCodes({ phone, sent: code });
                await loadCodeStep();
                setStep('code');
              }}
            />
          )}
          {step === 'code' && sentCode && CodeStep && (
            <CodeStep
              phone={phone}
              sentCode={sentCode}
              onSent={(code) => setCodes({ phone, sent: code })}
              onDone={() => showProfile(sentCode.otpToken)}
              onBack={() => setStep('phone')}
            />
          )}
          {step === 'profile' && (
            <ProfileStep
              phone={phone}
              currency={bank.currency}
              otpToken={sentCode?.otpToken ?? ''}
              fields={profile}
              onFields={setProfile}
              onDone={(code) => {
                clearRefusal();
                setUnknownCode(code);
                setStep('bank');
              }}
              onBack={() => setStep('phone')}
              refusal={refusal}
              onRefused={goToRefusedStep}
            />
          )}
          {step === 'bank' && (
            <BankStep
              fields={bank}
              onFields={setBank}
              onSubmit={register}
              onBack={() => setStep('profile')}
              unknownCode={unknownCode}
              isDone={isRegistered}
            />
          )}
        </div>
      </Card>
      <LoginLink />
    </div>
  );
}

/** Stores the invite code of the address, and says who invites. Its line is reserved, so that nothing moves. */
function Inviter() {
  const { t } = useTranslation('register');
  const [name, setName] = useState<string>();
  useEffect(() => {
    saveInviteCode(location.search);
    const code = savedInviteCode();
    if (!code) return;
    // An unknown code is reported where it can be changed; a failure is not the visitor's concern.
    call('GET /api/invite/inviter/{code}', { params: { code }, quiet: true }).then(
      ({ inviter }) => setName(inviter ?? undefined),
      () => undefined,
    );
  }, []);
  return (
    <p role="status" className="mb-1 h-6 truncate text-sm text-gold-lit">
      {name && t('invitedBy', { name })}
    </p>
  );
}

/** Link to the login, for members who opened this page by mistake. */
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
function StepProgress({ step, needsCode }: { step: RegistrationStep; needsCode: boolean }) {
  const { t } = useTranslation('register');
  const order: RegistrationStep[] = needsCode ? ['phone', 'code', 'profile', 'bank'] : ['phone', 'profile', 'bank'];
  const number = order.indexOf(step) + 1;
  return (
    <div className="mb-5">
      <div className="flex gap-1.5" aria-hidden="true">
        {order.map((name, i) => (
          <span key={name} className={`h-1.5 grow rounded-full ${i < number ? 'bg-gold' : 'bg-line'}`} />
        ))}
      </div>
      <p className="mt-2 text-sm text-muted">{t('progress', { step: number, steps: order.length })}</p>
      <h2 className="text-lg font-semibold">{t(stepNameKeys[step])}</h2>
    </div>
  );
}
