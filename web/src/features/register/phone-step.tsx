import { hasPhoneLength, isInPhoneRanges } from '@krapao/contract/rules';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchOperatorData, useOperatorData } from '../../api/operator-data.ts';
import { currentVariant } from '../../browser/variant.ts';
import { refusalText } from '../../shared/refusal-text.ts';
import { type SentCode, sendOrReuseCode } from '../../shared/sent-code.ts';
import { Button } from '../../ui/core/button.tsx';
import { PhoneInput } from '../../ui/core/normalized-input.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';

// Whether the phone number is outside the mobile ranges. If the ranges can't be loaded, only the server checks the
// number.
async function isOutsideRanges(phone: string): Promise<boolean> {
  const siteInfo = await fetchOperatorData('GET /api/lookup/info', true).catch(() => undefined);
  return siteInfo?.phoneRanges !== undefined && !isInPhoneRanges(phone, siteInfo.phoneRanges);
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
  const needsCode = useOperatorData('GET /api/lookup/registerOTP', true).data?.registerOTP ?? true;
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
