import { currencies } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import { useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shell/error-text.ts';
import { formRefusal } from '../../shared/refusal-text.ts';
import { useLookup } from '../../api/lookup.ts';
import { bankName } from '../../format/text.ts';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { ChoicesFailed } from '../../ui/choices-failed.tsx';
import { focusField, FormFailure } from '../../ui/core/field.tsx';
import { InfoIcon } from '../../ui/core/icons.tsx';
import { Select } from '../../ui/core/select.tsx';
import { AccountNumberInput } from '../../ui/formatted-input.tsx';
import { CapitalsInput } from '../../ui/core/normalized-input.tsx';
import { isLaoVariant } from '../../shell/variant.ts';
import { StepButtons } from './step-buttons.tsx';

export type BankFields = { bankCode: string; accountNo: string; firstName: string; lastName: string; currency: string };

export type BankStepProps = {
  fields: BankFields;
  onFields: (fields: BankFields) => void;
  /** Registers with these fields; throws the server's failure. */
  onSubmit: (fields: BankFields) => Promise<void>;
  onBack: () => void;
  /** The entered invite code, if no member has it. */
  unknownCode: string | undefined;
  done: boolean;
};

/** The holder's name: first and last name joined by a space, as banks print it. */
export const holderName = ({ firstName, lastName }: BankFields): string =>
  `${firstName.trim()} ${lastName.trim()}`.toUpperCase();

/** Fields by their names in the server's failures. */
const FIELDS = { bankCode: 'bankCode', bankAccountNo: 'accountNo', bankAccountName: 'lastName' } as const;
/** In display order: the first empty one gets the focus. */
const NEEDED = ['bankCode', 'accountNo', 'firstName', 'lastName'] as const;
export const BANK_REFUSED = ['bankCode', 'bankAccountNo', 'bankAccountName'] as const;

/** Warns that no member has the invite code; registration continues. */
function UnknownCode({ code }: { code: string | undefined }) {
  const { t } = useTranslation('register');
  if (code === undefined) return null;
  return (
    <p role="note" className="flex gap-3 rounded-md bg-raised px-4 py-3 text-sm wrap-anywhere ring-1 ring-gold/60">
      <InfoIcon className="size-5 shrink-0 text-gold" />
      {t('inviterUnknown', { code })}
    </p>
  );
}

/** State, errors and submission of step 4. */
function useBankForm({ fields, onFields, onSubmit }: Pick<BankStepProps, 'fields' | 'onFields' | 'onSubmit'>) {
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState(fields);
  /** Empty fields are marked after the first attempt. */
  const [isTried, setTried] = useState(false);
  const [isForeignName, setForeignName] = useState(false);
  const [isSubmitting, setSubmitting] = useState(false);
  const [answer, setAnswer] = useState<unknown>();
  const refused = formRefusal(answer, BANK_REFUSED);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSubmitting) return;
    setAnswer(undefined);
    setForeignName(false);
    setTried(true);
    const empty = NEEDED.find((field) => typed[field] === '');
    if (empty) return focusField(form.current, empty);
    if (needsEnglishName(typed.bankCode) && !isEnglishName(holderName(typed))) return setForeignName(true);
    setSubmitting(true);
    try {
      await onSubmit(typed);
    } catch (failure) {
      setAnswer(failure);
      const { field } = formRefusal(failure, BANK_REFUSED);
      if (field) focusField(form.current, FIELDS[field]);
    }
    setSubmitting(false);
  }

  const input = (field: keyof BankFields) => ({
    name: field,
    value: typed[field],
    onChange: (value: string) => {
      const next = { ...typed, [field]: value };
      setTyped(next);
      onFields(next);
      setAnswer(undefined);
      if (field === 'lastName') setForeignName(false);
    },
  });
  const select = (field: keyof BankFields) => ({
    ...input(field),
    onChange: ({ target }: { target: { value: string } }) => input(field).onChange(target.value),
  });
  const missing = (field: (typeof NEEDED)[number]): boolean => isTried && typed[field] === '';
  return { form, input, select, missing, isForeignName, isSubmitting, refused, submit };
}

/** Step 4: the bank account of withdrawals. */
export function BankStep({ onBack, unknownCode, done, ...form }: BankStepProps) {
  const { t } = useTranslation('register');
  const { data: banks, failure: noBanks, retry } = useLookup('GET /api/lookup/banks');
  const { form: place, input, select, missing, isForeignName, isSubmitting, refused, submit } = useBankForm(form);
  useBack(isSubmitting ? undefined : onBack);

  return (
    <form ref={place} method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <UnknownCode code={unknownCode} />
      <p className="rounded-md bg-raised px-4 py-3 text-sm text-muted">{t('bankNotice')}</p>
      {/* Remounted when the choices have loaded: a list without them can't hold the previous choice. */}
      <Select
        key={banks ? 'full' : 'empty'}
        label={t('bank')}
        placeholder={t('chooseBank')}
        options={(banks ?? []).map((bank) => ({ value: bank.code, label: bankName(bank) }))}
        hint={Boolean(noBanks) && <ChoicesFailed reason={failureText(noBanks)} onRetry={retry} />}
        error={missing('bankCode') ? t('bankRequired') : refused.at('bankCode')}
        {...select('bankCode')}
      />
      <AccountNumberInput
        label={t('accountNo')}
        error={missing('accountNo') ? t('accountNoRequired') : refused.at('bankAccountNo')}
        {...input('accountNo')}
      />
      <CapitalsInput
        label={t('firstName')}
        autoComplete="given-name"
        error={missing('firstName') ? t('firstNameRequired') : undefined}
        {...input('firstName')}
      />
      <CapitalsInput
        label={t('lastName')}
        autoComplete="family-name"
        error={
          missing('lastName')
            ? t('lastNameRequired')
            : isForeignName
              ? t('bankNameEnglish')
              : refused.at('bankAccountName')
        }
        {...input('lastName')}
      />
      {isLaoVariant() && (
        <Select
          label={t('currency')}
          placeholder={false}
          hint={t('currencyHint')}
          options={[...currencies]
            .reverse()
            .map((currency) => ({ value: currency, label: `${t(`currencies.${currency}`)} (${currency})` }))}
          {...select('currency')}
        />
      )}
      <FormFailure text={refused.whole} />
      <StepButtons label={t('submit')} busy={isSubmitting && !done && t('submitting')} done={done} onBack={onBack} />
    </form>
  );
}
