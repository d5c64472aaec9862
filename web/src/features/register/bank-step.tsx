import { currencies } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import { trimPasted } from '@krapao/contract/text/digits';
import { useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import { isLaoVariant } from '../../browser/variant.ts';
import { BankSelect } from '../../shared/bank-select.tsx';
import { formRefusal } from '../../shared/refusal-text.ts';
import { focusField, FormFailure } from '../../ui/core/field.tsx';
import { InfoIcon } from '../../ui/core/icons.tsx';
import { CapitalsInput } from '../../ui/core/normalized-input.tsx';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { Select, ChoicesFailed } from '../../ui/core/select.tsx';
import { AccountNumberInput } from '../../ui/formatted-input.tsx';
import { StepButtons } from './step-buttons.tsx';

export type BankFields = { bankCode: string; accountNo: string; firstName: string; lastName: string; currency: string };

export type BankStepProps = {
  fields: BankFields;
  onFields: (fields: BankFields) => void;
  /** Registers the member with these fields; throws the server's failure. */
  onSubmit: (fields: BankFields) => Promise<void>;
  onBack: () => void;
  /** The entered invite code if no member has that code. */
  unknownCode: string | undefined;
  isDone: boolean;
};

/** Name of the account holder: first and last name separated by a space, as printed by banks. */
export const holderName = ({ firstName, lastName }: BankFields): string =>
  `${trimPasted(firstName)} ${trimPasted(lastName)}`.toUpperCase();

/** Form fields by their names in the server's failures. */
const FORM_FIELDS = { bankCode: 'bankCode', bankAccountNo: 'accountNo', bankAccountName: 'lastName' } as const;
/** Required fields in display order; the first empty one gets the focus. */
const REQUIRED_FIELDS = ['bankCode', 'accountNo', 'firstName', 'lastName'] as const;
const NAME_FIELDS = ['firstName', 'lastName'] as const;
export const BANK_REFUSED = ['bankCode', 'bankAccountNo', 'bankAccountName'] as const;

/** Warning that no member has the entered invite code; registration can continue. */
function UnknownCodeWarning({ code }: { code: string | undefined }) {
  const { t } = useTranslation('register');
  if (code === undefined) return null;
  return (
    <p role="note" className="flex gap-3 rounded-md bg-raised px-4 py-3 text-sm wrap-anywhere ring-1 ring-gold/60">
      <InfoIcon className="size-5 shrink-0 text-gold" />
      {t('inviterUnknown', { code })}
    </p>
  );
}

/** State, errors and submission of the form of step 4. */
function useBankForm({ fields, onFields, onSubmit }: Pick<BankStepProps, 'fields' | 'onFields' | 'onSubmit'>) {
  const form = useRef<HTMLFormElement>(null);
  const [typedFields, setTypedFields] = useState(fields);
  /** Whether the form was submitted before; only then empty fields are marked. */
  const [isSubmitAttempted, setSubmitAttempted] = useState(false);
  const [isSubmitting, setSubmitting] = useState(false);
  const [submitFailure, setSubmitFailure] = useState<unknown>();
  const refusal = formRefusal(submitFailure, BANK_REFUSED);

  const needsEnglish = needsEnglishName(typedFields.bankCode);
  /** Whether the bank refuses a typed name because of its letters. */
  const isForeign = (field: (typeof NAME_FIELDS)[number]): boolean =>
    needsEnglish && typedFields[field] !== '' && !isEnglishName(typedFields[field]);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSubmitting) return;
    setSubmitFailure(undefined);
    setSubmitAttempted(true);
    const emptyField = REQUIRED_FIELDS.find((field) => trimPasted(typedFields[field]) === '');
    if (emptyField) return focusField(form.current, emptyField);
    const foreignName = NAME_FIELDS.find(isForeign);
    if (foreignName) return focusField(form.current, foreignName);
    setSubmitting(true);
    try {
      await onSubmit(typedFields);
    } catch (failure) {
      setSubmitFailure(failure);
      const { field } = formRefusal(failure, BANK_REFUSED);
      if (field) focusField(form.current, FORM_FIELDS[field]);
    }
    setSubmitting(false);
  }

  const inputProps = (field: keyof BankFields) => ({
    name: field,
    value: typedFields[field],
    onChange: (value: string) => {
      const newFields = { ...typedFields, [field]: value };
      setTypedFields(newFields);
      onFields(newFields);
      setSubmitFailure(undefined);
    },
  });
  const selectProps = (field: keyof BankFields) => ({
    ...inputProps(field),
    onChange: ({ target }: { target: { value: string } }) => inputProps(field).onChange(target.value),
  });
  const isMissing = (field: (typeof REQUIRED_FIELDS)[number]): boolean =>
    isSubmitAttempted && trimPasted(typedFields[field]) === '';
  return { form, inputProps, selectProps, isMissing, needsEnglish, isForeign, isSubmitting, refusal, submit };
}

/** Step 4: the bank account for withdrawals. */
export function BankStep({ onBack, unknownCode, isDone, ...form }: BankStepProps) {
  const { t } = useTranslation('register');
  const { data: banks, failure: banksFailure, retry } = useOperatorData('GET /api/lookup/banks');
  const {
    form: formRef,
    inputProps,
    selectProps,
    isMissing,
    needsEnglish,
    isForeign,
    isSubmitting,
    refusal,
    submit,
  } = useBankForm(form);
  useBack(isSubmitting ? undefined : onBack);

  return (
    <form
      ref={formRef}
      method="post"
      noValidate
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-4"
    >
      <UnknownCodeWarning code={unknownCode} />
      <p className="rounded-md bg-raised px-4 py-3 text-sm text-muted">{t('bankNotice')}</p>
      {/* Remounted when the options have loaded, because a select without options can't hold the previous choice. */}
      <BankSelect
        key={banks ? 'full' : 'empty'}
        label={t('bank')}
        placeholder={t('chooseBank')}
        banks={banks ?? []}
        hint={Boolean(banksFailure) && <ChoicesFailed reason={failureText(banksFailure)} onRetry={retry} />}
        error={isMissing('bankCode') ? t('bankRequired') : refusal.errorAt('bankCode')}
        {...inputProps('bankCode')}
      />
      <AccountNumberInput
        label={t('accountNo')}
        error={isMissing('accountNo') ? t('accountNoRequired') : refusal.errorAt('bankAccountNo')}
        {...inputProps('accountNo')}
      />
      <CapitalsInput
        label={t('firstName')}
        autoComplete="given-name"
        hint={needsEnglish && t('bankWantsEnglish')}
        error={
          isMissing('firstName') ? t('firstNameRequired') : isForeign('firstName') ? t('bankNameEnglish') : undefined
        }
        {...inputProps('firstName')}
      />
      <CapitalsInput
        label={t('lastName')}
        autoComplete="family-name"
        error={
          isMissing('lastName')
            ? t('lastNameRequired')
            : isForeign('lastName')
              ? t('bankNameEnglish')
              : refusal.errorAt('bankAccountName')
        }
        {...inputProps('lastName')}
      />
      {isLaoVariant() && (
        <Select
          label={t('currency')}
          placeholder={false}
          hint={t('currencyHint')}
          options={[...currencies]
            .reverse()
            .map((currency) => ({ value: currency, label: `${t(`currencies.${currency}`)} (${currency})` }))}
          {...selectProps('currency')}
        />
      )}
      <FormFailure text={refusal.formError} />
      <StepButtons
        label={t('submit')}
        busyText={isSubmitting && !isDone && t('submitting')}
        isDone={isDone}
        onBack={onBack}
      />
    </form>
  );
}
