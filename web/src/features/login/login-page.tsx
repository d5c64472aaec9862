import { hasPhoneLength } from '@krapao/contract/rules';
import { useEffect, useMemo, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { canStoreSession, onOtherTabSession, storedPhone, storeSession } from '../../api/session.ts';
import { currentVariant } from '../../browser/variant.ts';
import { MEMBER_HOME, targetAfterLogin } from '../../routing/login-target.ts';
import { prefetch } from '../../routing/router.ts';
import { restoreSavedInputs } from '../../routing/saved-inputs.ts';
import { buttonClass, Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { Checkbox } from '../../ui/core/checkbox.tsx';
import { FormFailure } from '../../ui/core/field.tsx';
import { LockIcon } from '../../ui/core/icons.tsx';
import { PhoneInput } from '../../ui/core/normalized-input.tsx';
import { PasswordInput } from '../../ui/core/password-input.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { usePhoneProof } from './phone-proof.tsx';

/** Errors as phrase keys, so that a language change translates displayed errors. */
type LoginErrors = {
  phone?: 'phoneRequired' | 'phoneDigits';
  password?: 'passwordRequired';
  form?: 'storageBlocked' | 'limited';
  failure?: unknown;
};

/** What the previous page passed: the phone of a registration or of an ended session; '' if it is unknown. */
function passedState(): { phone: string; hasEnded: boolean } {
  const { phone, hasEnded } = (history.state ?? {}) as Record<string, unknown>;
  return { phone: typeof phone === 'string' ? phone : '', hasEnded: hasEnded === true };
}

/** Address to open after a login with this phone. Page and sheet of another member's ended session stay closed. */
function addressAfterLogin(phone: string): string {
  const ended = passedState();
  const isOtherMember = ended.hasEnded && ended.phone !== '' && ended.phone !== phone;
  return isOtherMember ? MEMBER_HOME : targetAfterLogin(location.search);
}

/** Follows another tab in which the member of the ended session has logged in again. */
const followOtherTab = (): (() => void) =>
  onOtherTabSession({
    onEnd: () => undefined,
    onOtherSession: () => {
      const { phone } = passedState();
      // A full load: this tab has the data of no session.
      if (phone !== '' && phone === storedPhone()) location.replace(addressAfterLogin(phone));
    },
  });

/** The passed state, kept while the next page loads, which has another history entry; undefined before hydration. */
const usePassedState = (isHydrated: boolean) => useMemo(() => (isHydrated ? passedState() : undefined), [isHydrated]);

/** Says that a session has ended, and waits for a login in another tab. */
function SessionEnded() {
  const { t } = useTranslation('login');
  useEffect(followOtherTab, []);
  return (
    <p role="status" className="mb-4 rounded-md bg-amber-deep px-4 py-3 text-amber">
      {t('sessionEnded')}
    </p>
  );
}

/** Whether a proof of the phone ends the wait. */
const canProvePhone = (failure: unknown): boolean => failure instanceof ApiFailure && failure.detail === 'PROVE_PHONE';

const fieldErrorsOf = (phone: string, password: string): LoginErrors => ({
  ...(phone === '' ? { phone: 'phoneRequired' } : !hasPhoneLength(phone, currentVariant()) && { phone: 'phoneDigits' }),
  ...(password === '' && { password: 'passwordRequired' }),
});

/** Login by phone and password; the start page for visitors. */
export function LoginPage() {
  const { t } = useTranslation('login');
  // False on a prerendered page, whose form must not be submitted without scripts.
  const isHydrated = useHydrated();
  const [typedPhone, setTypedPhone] = useState<string>();
  const passed = usePassedState(isHydrated);
  const phone = typedPhone ?? passed?.phone ?? '';
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [errors, setErrors] = useState<LoginErrors>({});
  const [isBusy, setBusy] = useState(false);
  const proof = usePhoneProof(logIn, (failure) => setErrors({ form: 'limited', failure }));

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const fieldErrors = fieldErrorsOf(phone, password);
    setErrors(fieldErrors);
    if (Object.keys(fieldErrors).length > 0) return;
    // Checked before the login request, because the session could not be stored.
    if (!canStoreSession()) return setErrors({ form: 'storageBlocked' });
    await logIn();
  }

  async function logIn(): Promise<void> {
    setErrors({});
    setBusy(true);
    try {
      const { token } = await call('POST /api/login', { body: { username: phone, password, remember } });
      storeSession(token, remember, phone);
      restoreSavedInputs();
      navigate(addressAfterLogin(phone), { replace: true });
    } catch (failure) {
      setErrors(canProvePhone(failure) ? { form: 'limited' } : { failure });
      setBusy(false);
    }
  }

  const errorText = [errors.form && t(errors.form), errors.failure ? failureText(errors.failure) : undefined];

  return (
    <div className="mx-auto w-full max-w-md">
      <h1 className="text-2xl font-bold">{t('title')}</h1>
      <p className="mb-5 text-muted">{t('lead')}</p>
      {passed?.hasEnded && <SessionEnded />}
      <Card>
        {proof.step}
        {/* With `post`, a form submitted by the browser itself does not put the password in the URL. */}
        <form
          method="post"
          noValidate
          onSubmit={(event) => void submit(event)}
          className={proof.step ? 'hidden' : 'flex flex-col gap-3'}
        >
          <PhoneInput
            label={t('phone')}
            autoComplete="username"
            value={phone}
            error={errors.phone && t(errors.phone)}
            onChange={(newPhone) => {
              setTypedPhone(newPhone);
              setErrors({});
            }}
          />
          <PasswordInput
            label={t('password')}
            autoComplete="current-password"
            leadIcon={<LockIcon />}
            value={password}
            error={errors.password && t(errors.password)}
            onChange={(event) => {
              setPassword(event.target.value);
              setErrors({});
            }}
          />
          <Checkbox label={t('remember')} checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          <FormFailure text={errorText.filter(Boolean).join('\n') || undefined} />
          {errors.form === 'limited' ? (
            <Button wide busy={proof.isSending && t('sendingCode')} onClick={() => void proof.start(phone)}>
              {t('sendCode')}
            </Button>
          ) : (
            <Button type="submit" wide busy={isBusy && t('submitting')} disabled={!isHydrated}>
              {t('submit')}
            </Button>
          )}
        </form>
        <ForgotPassword />
      </Card>
      <RegisterLink />
    </div>
  );
}

/** Link to the ways to contact the operator. */
function ForgotPassword() {
  const { t } = useTranslation('login');
  return (
    <p className="mt-2 text-center">
      <Link
        href="/contact"
        onPointerEnter={() => prefetch('/contact')}
        onFocus={() => prefetch('/contact')}
        className={buttonClass('plain', 'sm')}
      >
        {t('forgotPassword')}
      </Link>
    </p>
  );
}

/** Link to the registration, for visitors without an account. */
function RegisterLink() {
  const { t } = useTranslation('login');
  return (
    <p className="mt-5 text-center text-muted">
      {t('noAccount')}{' '}
      <Link
        href="/register"
        onPointerEnter={() => prefetch('/register')}
        className="inline-flex min-h-11 items-center px-2 font-semibold text-gold-lit underline underline-offset-4"
      >
        {t('register')}
      </Link>
    </p>
  );
}
