import { useEffect, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { Button } from '../../ui/core/button.tsx';
import { CodeInput } from '../../ui/code-input.tsx';
import { sendCode, type SentCode } from './phone-step.tsx';

/** The server sends a phone one code a minute. */
const RESEND_AFTER_S = 60;

export type CodeStepProps = {
  phone: string;
  sent: SentCode;
  onSent: (sent: SentCode) => void;
  /** Called when the phone is verified; shows the next step. */
  onDone: () => Promise<void>;
  onBack: () => void;
};

/** Remaining wait in whole seconds; bounded, whatever happened to the device's clock. */
const secondsLeft = (sentAt: number): number =>
  Math.min(RESEND_AFTER_S, Math.max(0, Math.ceil(RESEND_AFTER_S - (Date.now() - sentAt) / 1000)));

type ResendProps = { sentAt: number; isBusy: boolean; onResend: () => void };

/** Requests another code after the wait, which survives a reload. */
function ResendButton({ sentAt, isBusy, onResend }: ResendProps) {
  const { t } = useTranslation('register');
  const [seconds, setSeconds] = useState(() => secondsLeft(sentAt));
  useEffect(() => {
    const look = (): void => setSeconds(secondsLeft(sentAt));
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [sentAt]);
  const isEarly = seconds > 0;
  return (
    // Not disabled: that would lose the focus once the code is sent.
    <Button
      variant="plain"
      size="sm"
      aria-disabled={isEarly || undefined}
      className="aria-disabled:cursor-default aria-disabled:opacity-45"
      busy={isBusy && t('checking')}
      onClick={isEarly ? undefined : onResend}
    >
      {isEarly ? t('resendIn', { seconds }) : t('resend')}
    </Button>
  );
}

/** Step 2: the code sent to the phone. */
export function CodeStep({ phone, sent, onSent, onDone, onBack }: CodeStepProps) {
  const { t } = useTranslation(['register', 'common']);
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<'verifying' | 'sending'>();

  useBack(onBack);

  async function verify(otpCode: string): Promise<void> {
    if (otpCode === '' || busy) return;
    setBusy('verifying');
    try {
      await call('POST /api/otp/verify', { body: { otpToken: sent.otpToken, otpCode, tokenOnly: true } });
      await onDone();
    } catch (failure) {
      // Already verified by a request whose reply was lost.
      if (failure instanceof ApiFailure && failure.message === 'OTP_VERIFIED') return onDone();
      setError(failure);
      setCode('');
      setBusy(undefined);
    }
  }

  async function resend(): Promise<void> {
    setBusy('sending');
    setError(undefined);
    try {
      const next = await sendCode(phone, sent);
      if (next) onSent(next);
      else await onDone();
    } catch (failure) {
      setError(failure);
    }
    setBusy(undefined);
  }

  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void verify(code);
  };

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p>{t('codeSent', { phone })}</p>
      <p className="text-sm text-muted">
        {t('reference')} <strong className="text-base tracking-widest text-gold-lit">{sent.otpRef}</strong>
      </p>
      <CodeInput
        label={t('code')}
        value={code}
        error={error ? failureText(error) : undefined}
        data-autofocus
        onChange={(digits) => {
          setCode(digits);
          setError(undefined);
        }}
        onComplete={(digits) => void verify(digits)}
      />
      <Button type="submit" wide busy={busy === 'verifying' && t('verifying')}>
        {t('verify')}
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="plain" size="sm" onClick={onBack}>
          {t('common:back')}
        </Button>
        <ResendButton sentAt={sent.sentAt} isBusy={busy === 'sending'} onResend={() => void resend()} />
      </div>
    </form>
  );
}
