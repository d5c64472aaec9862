import { currencies } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName, plainDigits } from '@krapao/contract/rules';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shared/errors/failure-text.ts';
import { formRefusal } from '../../shared/errors/form-refusal.ts';
import { useLookup } from '../../api/use-lookup.ts';
import { bankName } from '../../format/bank-name.ts';
import { useBack } from '../../ui/overlay/back-stack.ts';
import { ChoicesFailed } from '../../ui/form/choices-failed.tsx';
import { FormFailure } from '../../ui/form/form-failure.tsx';
import { InfoIcon } from '../../ui/icons/shell-icons.tsx';
import { Select } from '../../ui/form/select.tsx';
import { TextInput } from '../../ui/form/text-input.tsx';
import { isLaoVariant } from '../../variant.ts';
import { StepButtons } from './step-buttons.tsx';

export type BankFields = { bankCode: string; accountNo: string; firstName: string; lastName: string; currency: string };

export type BankStepProps = {
  fields: BankFields;
  onFields: (fields: BankFields) => void;
  /** Registers with these fields; throws what the server answered. */
  onSubmit: (fields: BankFields) => Promise<void>;
  onBack: () => void;
  /** The invite code that was typed, when no member has it. */
  unknownCode: string | undefined;
  /** The member is registered. */
  done: boolean;
};

/** How the holder's name is sent: first and last name joined by a space, as banks print it. */
export const holderName = ({ firstName, lastName }: BankFields): string =>
  `${firstName.trim()} ${lastName.trim()}`.toUpperCase();

/** Fields by what the server calls them. */
const FIELDS = { bankCode: 'bankCode', bankAccountNo: 'accountNo', bankAccountName: 'lastName' } as const;
const REFUSED = ['bankCode', 'bankAccountNo', 'bankAccountName'] as const;

/** Tells that nobody has the invite code, which keeps nobody from registering. */
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

/** Step 4: the bank account that withdrawals are paid to. */
export function BankStep({ fields, onFields, onSubmit, onBack, unknownCode, done }: BankStepProps) {
  const { t } = useTranslation('register');
  const { data: banks, failure: noBanks, retry } = useLookup('GET /api/lookup/banks');
  const form = useForm<BankFields>({ defaultValues: fields });
  const { errors, isSubmitting } = form.formState;
  const [answer, setAnswer] = useState<unknown>();
  const refused = formRefusal(answer, REFUSED);

  const goBack = (): void => {
    onFields(form.getValues());
    onBack();
  };
  useBack(isSubmitting ? undefined : goBack);

  const submit = form.handleSubmit(async (typed) => {
    setAnswer(undefined);
    onFields(typed);
    if (needsEnglishName(typed.bankCode) && !isEnglishName(holderName(typed))) {
      form.setError('lastName', { type: 'english' });
      return;
    }
    await onSubmit(typed).catch((failure: unknown) => {
      setAnswer(failure);
      const { field } = formRefusal(failure, REFUSED);
      if (field) form.setFocus(FIELDS[field]);
    });
  });

  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => void submit(event)}
      onChange={() => {
        setAnswer(undefined);
        onFields(form.getValues());
      }}
      className="flex flex-col gap-4"
    >
      <UnknownCode code={unknownCode} />
      <p className="rounded-md bg-raised px-4 py-3 text-sm text-muted">{t('bankNotice')}</p>
      {/* Anew when the choices are there: a list without them can't hold what was chosen before. */}
      <Select
        key={banks ? 'full' : 'empty'}
        label={t('bank')}
        placeholder={t('chooseBank')}
        options={(banks ?? []).map((bank) => ({ value: bank.code, label: bankName(bank) }))}
        hint={Boolean(noBanks) && <ChoicesFailed reason={failureText(noBanks)} onRetry={retry} />}
        error={errors.bankCode ? t('bankRequired') : refused.at('bankCode')}
        {...form.register('bankCode', { required: true })}
      />
      <TextInput
        label={t('accountNo')}
        inputMode="numeric"
        autoComplete="off"
        error={errors.accountNo ? t('accountNoRequired') : refused.at('bankAccountNo')}
        {...form.register('accountNo', { required: true, setValueAs: plainDigits })}
      />
      <TextInput
        label={t('firstName')}
        autoComplete="given-name"
        style={{ textTransform: 'uppercase' }}
        error={errors.firstName && t('firstNameRequired')}
        {...form.register('firstName', { required: true })}
      />
      <TextInput
        label={t('lastName')}
        autoComplete="family-name"
        style={{ textTransform: 'uppercase' }}
        error={
          errors.lastName
            ? t(errors.lastName.type === 'english' ? 'bankNameEnglish' : 'lastNameRequired')
            : refused.at('bankAccountName')
        }
        {...form.register('lastName', { required: true })}
      />
      {isLaoVariant() && (
        <Select
          label={t('currency')}
          placeholder={false}
          hint={t('currencyHint')}
          options={[...currencies]
            .reverse()
            .map((currency) => ({ value: currency, label: `${t(`currencies.${currency}`)} (${currency})` }))}
          {...form.register('currency')}
        />
      )}
      <FormFailure text={refused.whole} />
      <StepButtons label={t('submit')} busy={isSubmitting && !done && t('submitting')} done={done} onBack={goBack} />
    </form>
  );
}
