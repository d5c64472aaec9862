import { useEffect, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { failureText } from '../api/error-text.ts';
import { ApiFailure } from '../api/errors.ts';
import { CODE_DIGITS, CodeInput } from '../ui/code-input.tsx';
import { Button } from '../ui/core/button.tsx';
import { useBack } from '../ui/core/overlay-stack.ts';
import { sendCode, type SentCode } from './sent-code.ts';

/** Minimum time between two codes to one phone, enforced by the server. */
const RESEND_AFTER_S = 60;

export type CodeStepProps = {
  phone: string;
  sentCode: SentCode;
  onSent: (sent: SentCode) => void;
  /** Called when the phone is verified. */
  onDone: () => Promise<void>;
  onBack: () => void;
};

/** Remaining wait in whole seconds, limited to the full wait in case the device's clock was changed. */
const secondsLeft = (sentAt: number): number =>
  Math.min(RESEND_AFTER_S, Math.max(0, Math.ceil(RESEND_AFTER_S - (Date.now() - sentAt) / 1000)));

type ResendProps = { sentAt: number; isBusy: boolean; onResend: () => void };

/** Button that requests another code after the wait. The wait continues after a reload. */
function ResendButton({ sentAt, isBusy, onResend }: ResendProps) {
  const { t } = useTranslation('register');
  const [seconds, setSeconds] = useState(() => secondsLeft(sentAt));
  useEffect(() => {
    const updateSeconds = (): void => setSeconds(secondsLeft(sentAt));
    updateSeconds();
    const timer = setInterval(updateSeconds, 1000);
    return () => clearInterval(timer);
  }, [sentAt]);
  const mustWait = seconds > 0;
  return (
    // Not `disabled` during the wait, because that would lose the focus.
    <Button
      variant="plain"
      size="sm"
      aria-disabled={mustWait || undefined}
      className="aria-disabled:cursor-default aria-disabled:opacity-45"
      busy={isBusy && t('checking')}
      onClick={mustWait ? undefined : onResend}
    >
      {mustWait ? t('resendIn', { seconds }) : t('resend')}
    </Button>
  );
}

/** Entering the code that was sent to the phone: step 2 of the registration. Its texts are in `register`. */
export function CodeStep({ phone, sentCode, onSent, onDone, onBack }: CodeStepProps) {
  const { t } = useTranslation(['register', 'common']);
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [isCodeMissing, setCodeMissing] = useState(false);
  const [activity, setActivity] = useState<'verifying' | 'sending'>();

  useBack(onBack);

  async function verify(otpCode: string): Promise<void> {
    if (activity) return;
    setActivity('verifying');
    try {
      await call('POST /api/otp/verify', { body: { otpToken: sentCode.otpToken, otpCode, tokenOnly: true } });
      await onDone();
    } catch (failure) {
      // The phone was already verified by a request whose reply was lost.
      if (failure instanceof ApiFailure && failure.message === 'OTP_VERIFIED') return onDone();
      setError(failure);
      setCode('');
      setActivity(undefined);
    }
  }

  async function resend(): Promise<void> {
    setActivity('sending');
    setError(undefined);
    try {
      const newCode = await sendCode(phone, sentCode);
      if (newCode) onSent(newCode);
      else await onDone();
    } catch (failure) {
      setError(failure);
    }
    setActivity(undefined);
  }

  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // An unfinished code would spend a try.
    if (code.length < CODE_DIGITS) setCodeMissing(true);
    else void verify(code);
  };

  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p>{t('codeSent', { phone })}</p>
      <p className="text-sm text-muted">
        {t('reference')} <strong className="text-base tracking-widest text-gold-lit">{sentCode.otpRef}</strong>
      </p>
      <CodeInput
        label={t('code')}
        value={code}
        error={isCodeMissing ? t('codeDigits') : error ? failureText(error) : undefined}
        data-autofocus
        onChange={(digits) => {
          setCode(digits);
          setError(undefined);
          setCodeMissing(false);
        }}
        onUnclear={() => setCodeMissing(true)}
        onComplete={(digits) => void verify(digits)}
      />
      <Button type="submit" wide busy={activity === 'verifying' && t('verifying')}>
        {t('verify')}
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="plain" size="sm" onClick={onBack}>
          {t('common:back')}
        </Button>
        <ResendButton sentAt={sentCode.sentAt} isBusy={activity === 'sending'} onResend={() => void resend()} />
      </div>
    </form>
  );
}
