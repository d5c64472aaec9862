import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { hasPhoneLength, isInPhoneRanges } from '@krapao/contract/rules';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { refusalText } from '../../shared/refusal-text.ts';
import { lookUp, useLookup } from '../../api/lookup.ts';
import { Button } from '../../ui/core/button.tsx';
import { PhoneInput } from '../../ui/core/normalized-input.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { currentVariant } from '../../shell/variant.ts';

/** A sent code: the token to verify it, the reference in its message, and the time (this device's ms). */
export type SentCode = { otpToken: string; otpRef: string; sentAt: number };

/**
 * Sends the one-time code if this site requires one.
 * @param earlier code of this phone in this browser, which may be verified
 * @returns undefined when none is needed: not required, or this phone was verified recently
 */
export async function sendCode(phone: string, earlier: SentCode | undefined): Promise<SentCode | undefined> {
  const { registerOTP } = await lookUp('GET /api/lookup/registerOTP');
  if (!registerOTP) return undefined;
  const body = { phoneNumber: phone, otpToken: earlier?.otpToken ?? '' };
  const { code, otpToken, otpRef } = await call('POST /api/otp/send', { body });
  return code === 'OTP_VERIFIED' ? undefined : { otpToken, otpRef, sentAt: Date.now() };
}

// Without the ranges only the server checks.
async function isOutsideRanges(phone: string): Promise<boolean> {
  const site = await lookUp('GET /api/lookup/info', true).catch(() => undefined);
  return site?.phoneRanges !== undefined && !isInPhoneRanges(phone, site.phoneRanges);
}

/** As `sendCode`; returns the earlier, still valid code within the minute in which no second is sent. */
async function codeFor(phone: string, earlier: SentCode | undefined): Promise<SentCode | undefined> {
  try {
    return await sendCode(phone, earlier);
  } catch (failure) {
    if (earlier && failure instanceof ApiFailure && failure.message === 'REQUEST_LIMIT_1MIN') return earlier;
    throw failure;
  }
}

export type PhoneStepProps = {
  phone: string;
  /** Failure of a later step that concerns the phone number. */
  refusal: unknown;
  /** An earlier code of this phone, for a member who returns to this step. */
  sent: SentCode | undefined;
  onPhone: (phone: string) => void;
  onDone: (sent: SentCode | undefined) => Promise<void>;
};

/** Step 1: the phone number. */
export function PhoneStep({ phone, sent, refusal, onPhone, onDone }: PhoneStepProps) {
  const { t } = useTranslation(['register', 'common']);
  // A prerendered page must not send its form without scripts.
  const isHydrated = useHydrated();
  const needsCode = useLookup('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
  const [mistake, setError] = useState<unknown>();
  const error = mistake ?? refusal;
  const [isBusy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    if (!hasPhoneLength(phone, currentVariant())) return setError('phoneDigits');
    setBusy(true);
    setError(undefined);
    try {
      if (await isOutsideRanges(phone)) setError('phoneNotMobile');
      else await onDone(await codeFor(phone, sent));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  }

  return (
    <form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <PhoneInput
        label={t('phone')}
        hint={t(needsCode ? 'phoneHint' : 'phoneHintNoCode')}
        autoComplete="tel-national"
        data-autofocus={refusal ? true : undefined}
        value={phone}
        error={
          error === 'phoneDigits' || error === 'phoneNotMobile'
            ? t(error)
            : error
              ? refusalText(error, 'errors')
              : undefined
        }
        onChange={(next) => {
          onPhone(next);
          setError(undefined);
        }}
      />
      <Button type="submit" wide busy={isBusy && t('checking')} disabled={!isHydrated}>
        {t('common:next')}
      </Button>
    </form>
  );
}
