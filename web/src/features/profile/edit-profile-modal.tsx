import { NAME_CHARACTERS_MAX } from '@krapao/contract/constants';
import { isEnglishName, needsEnglishName } from '@krapao/contract/rules';
import { trimPasted } from '@krapao/contract/text/digits';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import { apiQuery, invalidate, queryClient } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { BankSelect } from '../../shared/bank-select.tsx';
import { formRefusal } from '../../shared/refusal-text.ts';
import { Button } from '../../ui/core/button.tsx';
import { FormFailure } from '../../ui/core/field.tsx';
import { CapitalsInput } from '../../ui/core/normalized-input.tsx';
import { ChoicesFailed } from '../../ui/core/select.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { AccountNumberInput } from '../../ui/formatted-input.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Popup } from '../../ui/popup.tsx';

export type MemberProfile = Reply<'GET /api/account/profile'>;
type ProfileFields = { name: string; bankCode: string; bankAccountName: string; bankAccountNo: string };

/** A field error as a phrase key, which is translated when displayed. */
type FieldError = { field: keyof ProfileFields; text: 'required' | 'bankNameEnglish' };

const FORM_ID = 'edit-profile';
const REFUSABLE_FIELDS: readonly (keyof ProfileFields)[] = ['name', 'bankCode', 'bankAccountNo', 'bankAccountName'];

/** Form for the display name. The bank account can also be changed until money has moved. */
export function EditProfileModal({ member, onClose }: { member: MemberProfile; onClose: () => void }) {
  const { t } = useTranslation(['profile', 'common']);
  const save = useMutation({
    mutationFn: (body: ProfileFields) => call('PUT /api/account/profile', { body }),
    onSuccess: (savedProfile) => {
      queryClient.setQueryData(apiQuery('GET /api/account/profile').queryKey, savedProfile);
      void invalidate('wallet');
    },
  });
  if (save.isSuccess)
    return <Popup open tone="success" title={t('common:success')} message={t('saved')} onClose={onClose} />;
  const footer = (
    <>
      <Button type="submit" form={FORM_ID} busy={save.isPending && t('saving')}>
        {t('common:save')}
      </Button>
      <Button variant="quiet" disabled={save.isPending} onClick={onClose}>
        {t('common:cancel')}
      </Button>
    </>
  );
  return (
    <Modal open onClose={save.isPending ? undefined : onClose} title={t('edit')} footer={footer}>
      <EditProfileForm
        member={member}
        failure={save.error}
        onSubmit={(fields) => void (save.isPending || save.mutate(fields))}
        onChange={save.reset}
      />
    </Modal>
  );
}

type ProfileFormProps = {
  member: MemberProfile;
  failure: unknown;
  onSubmit: (fields: ProfileFields) => void;
  onChange: () => void;
};

function EditProfileForm({
  member: { profile, bankAccount, canChangeBank },
  failure,
  onSubmit,
  onChange,
}: ProfileFormProps) {
  const { t } = useTranslation('profile');
  const [fields, setFields] = useState<ProfileFields>({
    name: profile.name,
    bankCode: bankAccount?.bankCode ?? '',
    bankAccountName: bankAccount?.bankAccountName ?? '',
    bankAccountNo: bankAccount?.bankAccountNo ?? '',
  });
  const refusal = formRefusal(failure, REFUSABLE_FIELDS);
  const [fieldError, setFieldError] = useState<FieldError>();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const firstError = firstErrorOf(fields, canChangeBank);
    setFieldError(firstError);
    if (!firstError) onSubmit(fields);
  };
  const inputProps = (field: keyof ProfileFields) => ({
    value: fields[field],
    error: fieldError?.field === field ? t(fieldError.text) : refusal.errorAt(field),
    onChange: (value: string) => {
      setFields({ ...fields, [field]: value });
      setFieldError(undefined);
      onChange();
    },
  });
  return (
    <form id={FORM_ID} method="post" noValidate onSubmit={submit} className="flex flex-col gap-4">
      <TextInput
        label={t('name')}
        maxLength={NAME_CHARACTERS_MAX}
        autoComplete="nickname"
        {...inputProps('name')}
        onChange={({ target }) => inputProps('name').onChange(target.value)}
      />
      {canChangeBank ? (
        <BankFields bankCode={fields.bankCode} input={inputProps} />
      ) : (
        <p className="text-sm text-muted">{t('bankLocked')}</p>
      )}
      <FormFailure text={refusal.formError} />
    </form>
  );
}

type InputPropsOf = (field: keyof ProfileFields) => {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

function BankFields({ bankCode, input }: { bankCode: string; input: InputPropsOf }) {
  const { t } = useTranslation('profile');
  const { data: banks, failure, retry } = useOperatorData('GET /api/lookup/banks');
  const needsEnglish = needsEnglishName(bankCode);
  const holder = input('bankAccountName');
  const isForeign = needsEnglish && holder.value !== '' && !isEnglishName(holder.value);
  return (
    <>
      <p className="text-sm text-muted">{t('bankUntilMoney')}</p>
      <BankSelect
        key={banks ? 'full' : 'empty'}
        label={t('bankName')}
        banks={banks ?? []}
        hint={Boolean(failure) && <ChoicesFailed reason={failureText(failure)} onRetry={retry} />}
        {...input('bankCode')}
      />
      <AccountNumberInput label={t('accountNo')} {...input('bankAccountNo')} />
      <CapitalsInput
        label={t('holder')}
        maxLength={121}
        autoComplete="off"
        hint={needsEnglish && t('bankWantsEnglish')}
        {...holder}
        error={holder.error ?? (isForeign ? t('bankNameEnglish') : undefined)}
      />
    </>
  );
}

function firstErrorOf(fields: ProfileFields, canChangeBank: boolean): FieldError | undefined {
  const requiredFields = canChangeBank
    ? (['name', 'bankCode', 'bankAccountNo', 'bankAccountName'] as const)
    : (['name'] as const);
  const emptyField = requiredFields.find((field) => trimPasted(fields[field]) === '');
  if (emptyField) return { field: emptyField, text: 'required' };
  if (canChangeBank && needsEnglishName(fields.bankCode) && !isEnglishName(fields.bankAccountName))
    return { field: 'bankAccountName', text: 'bankNameEnglish' };
  return undefined;
}
