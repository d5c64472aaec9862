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

/** A sent code: its verification token, the reference in its message, and the sending time (device time in ms). */
export type SentCode = { otpToken: string; otpRef: string; sentAt: number };

/**
 * Sends a one-time code if the site requires one.
 * @param earlierCode earlier code for this phone in this browser, which may already be verified
 * @returns undefined if no code is needed: not required, or the phone was verified recently
 */
export async function sendCode(phone: string, earlierCode: SentCode | undefined): Promise<SentCode | undefined> {
  const { registerOTP } = await lookUp('GET /api/lookup/registerOTP');
  if (!registerOTP) return undefined;
  const body = { phoneNumber: phone, otpToken: earlierCode?.otpToken ?? '' };
  const { code, otpToken, otpRef } = await call('POST /api/otp/send', { body });
  return code === 'OTP_VERIFIED' ? undefined : { otpToken, otpRef, sentAt: Date.now() };
}

// Whether the phone number is outside the mobile ranges. If the ranges can't be loaded, only the server checks the
// number.
async function isOutsideRanges(phone: string): Promise<boolean> {
  const siteInfo = await lookUp('GET /api/lookup/info', true).catch(() => undefined);
  return siteInfo?.phoneRanges !== undefined && !isInPhoneRanges(phone, siteInfo.phoneRanges);
}

/** Like `sendCode`, but returns the earlier code if it was sent less than a minute ago and is still valid. */
async function sendOrReuseCode(phone: string, earlierCode: SentCode | undefined): Promise<SentCode | undefined> {
  try {
    return await sendCode(phone, earlierCode);
  } catch (failure) {
    if (earlierCode && failure instanceof ApiFailure && failure.message === 'REQUEST_LIMIT_1MIN') return earlierCode;
    throw failure;
  }
}

export type PhoneStepProps = {
  phone: string;
  /** Failure of a later step that concerns the phone number. */
  refusal: unknown;
  /** An earlier code for this phone, if the member has returned to this step. */
  sentCode: SentCode | undefined;
  onPhone: (phone: string) => void;
  onDone: (sent: SentCode | undefined) => Promise<void>;
};

/** Step 1: entering the phone number. */
export function PhoneStep({ phone, sentCode, refusal, onPhone, onDone }: PhoneStepProps) {
  const { t } = useTranslation(['register', 'common']);
  // False on a prerendered page, whose form must not be submitted without scripts.
  const isHydrated = useHydrated();
  const needsCode = useLookup('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
  const [submitFailure, setSubmitFailure] = useState<unknown>();
  const error = submitFailure ?? refusal;
  const [isBusy, setBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    if (!hasPhoneLength(phone, currentVariant())) return setSubmitFailure('phoneDigits');
    setBusy(true);
    setSubmitFailure(undefined);
    try {
      if (await isOutsideRanges(phone)) setSubmitFailure('phoneNotMobile');
      else await onDone(await sendOrReuseCode(phone, sentCode));
    } catch (failure) {
      setSubmitFailure(failure);
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
        onChange={(newPhone) => {
          onPhone(newPhone);
          setSubmitFailure(undefined);
        }}
      />
      <Button type="submit" wide busy={isBusy && t('checking')} disabled={!isHydrated}>
        {t('common:next')}
      </Button>
    </form>
  );
}
