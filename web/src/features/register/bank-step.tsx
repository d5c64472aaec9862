import { currencies } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/failure.ts';
import { useLookup } from '../../api/use-lookup.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { useBack } from '../../ui/back-stack.ts';
import { Button } from '../../ui/button.tsx';
import { FormFailure } from '../../ui/form-failure.tsx';
import { Select } from '../../ui/select.tsx';
import { TextInput } from '../../ui/text-input.tsx';
import { isLaoVariant } from '../../variant.ts';

export type BankFields = { bankCode: string; accountNo: string; firstName: string; lastName: string; currency: string };

export type BankStepProps = {
  fields: BankFields;
  onFields: (fields: BankFields) => void;
  /** Registers with these fields; throws what the server answered. */
  onSubmit: (fields: BankFields) => Promise<void>;
  onBack: () => void;
};

/** How the holder's name is sent: first and last name joined by a space, as banks print it. */
export const holderName = ({ firstName, lastName }: BankFields): string =>
  `${firstName.trim()} ${lastName.trim()}`.toUpperCase();

/** Step 4: the bank account that withdrawals are paid to. */
export function BankStep({ fields, onFields, onSubmit, onBack }: BankStepProps) {
  const { t } = useTranslation(['register', 'common']);
  const { data: banks } = useLookup('GET /api/lookup/banks');
  const form = useForm<BankFields>({ defaultValues: fields });
  const { errors, isSubmitting } = form.formState;
  const [answer, setAnswer] = useState<string>();
  const isThai = currentLanguage() === 'th';

  const goBack = (): void => {
    onFields(form.getValues());
    onBack();
  };
  useBack(isSubmitting ? undefined : goBack);

  const submit = form.handleSubmit(async (typed) => {
    setAnswer(undefined);
    onFields(typed);
    if (needsEnglishName(typed.bankCode) && !isEnglishName(holderName(typed))) {
      form.setError('lastName', { message: t('bankNameEnglish') });
      return;
    }
    await onSubmit(typed).catch((failure: unknown) => setAnswer(failureText(failure)));
  });

  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => void submit(event)}
      onChange={() => setAnswer(undefined)}
      className="flex flex-col gap-4"
    >
      <p className="rounded-md bg-raised px-4 py-3 text-sm text-muted">{t('bankNotice')}</p>
      {/* Anew when the choices are there: a list without them can't hold what was chosen before. */}
      <Select
        key={banks ? 'full' : 'empty'}
        label={t('bank')}
        placeholder={t('chooseBank')}
        options={(banks ?? []).map(({ code, nameTH, nameEN }) => ({ value: code, label: isThai ? nameTH : nameEN }))}
        error={errors.bankCode?.message}
        {...form.register('bankCode', { required: t('bankRequired') })}
      />
      <TextInput
        label={t('accountNo')}
        inputMode="numeric"
        autoComplete="off"
        error={errors.accountNo?.message}
        {...form.register('accountNo', { required: t('accountNoRequired') })}
      />
      <TextInput
        label={t('firstName')}
        autoComplete="given-name"
        style={{ textTransform: 'uppercase' }}
        error={errors.firstName?.message}
        {...form.register('firstName', { required: t('firstNameRequired') })}
      />
      <TextInput
        label={t('lastName')}
        autoComplete="family-name"
        style={{ textTransform: 'uppercase' }}
        error={errors.lastName?.message}
        {...form.register('lastName', { required: t('lastNameRequired') })}
      />
      {isLaoVariant() && (
        <Select
          label={t('currency')}
          placeholder={false}
          hint={t('currencyHint')}
          options={[...currencies].reverse().map((currency) => ({ value: currency, label: currency }))}
          {...form.register('currency')}
        />
      )}
      <FormFailure text={answer} />
      <Button type="submit" wide busy={isSubmitting && t('submitting')}>
        {t('submit')}
      </Button>
      <Button variant="plain" disabled={isSubmitting} onClick={goBack}>
        {t('common:back')}
      </Button>
    </form>
  );
}
