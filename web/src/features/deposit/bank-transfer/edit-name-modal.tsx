import { isEnglishName } from '@krapao/contract/rules';
import { trimPasted } from '@krapao/contract/text/digits';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../../api/call.ts';
import { invalidate, queryClient, apiQuery } from '../../../api/query/query.ts';
import type { Wallet } from '../../../member/wallet.ts';
import { formRefusal } from '../../../shared/refusal-text.ts';
import { Button } from '../../../ui/core/button.tsx';
import { FormFailure } from '../../../ui/core/field.tsx';
import { CapitalsInput } from '../../../ui/core/normalized-input.tsx';
import { Modal } from '../../../ui/modal.tsx';
import { Popup } from '../../../ui/popup.tsx';

type MemberAccount = NonNullable<Wallet['bankAccount']>;
export type EditNameModalProps = {
  account: MemberAccount;
  onClose: () => void;
  /** Called after the name was saved; the modal stays open to confirm it. */
  onSaved: () => void;
};

/** Form for the account holder's name in English letters, as the bank reports it. */
export function EditNameModal({ account, onClose, onSaved }: EditNameModalProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const [name, setName] = useState('');
  const [isRefused, setRefused] = useState(false);
  const save = useMutation({
    mutationFn: (bankAccountName: string) =>
      call('PUT /api/account/bankAccountName', { body: { bankCode: account.bankCode, bankAccountName } }),
    onSuccess: ({ bankAccount }) => {
      const { queryKey } = apiQuery('GET /api/wallet', { quiet: true });
      queryClient.setQueryData<Wallet>(queryKey, (wallet) => wallet && { ...wallet, bankAccount });
      void invalidate('wallet', 'account');
      onSaved();
    },
  });
  const refusal = formRefusal(save.error, ['bankAccountName']);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const typedName = trimPasted(name);
    setRefused(!isEnglishName(typedName));
    if (isEnglishName(typedName) && !save.isPending) save.mutate(typedName);
  };
  const formId = 'edit-bank-account-name';
  if (save.isSuccess)
    return <Popup open tone="success" title={t('common:success')} message={t('nameSaved')} onClose={onClose} />;
  return (
    <Modal
      open
      onClose={onClose}
      title={t('editName')}
      footer={
        <>
          <Button type="submit" form={formId} busy={save.isPending && t('savingName')}>
            {t('common:save')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate className="grid gap-4">
        <p className="text-sm text-muted">{t('editNameWhy')}</p>
        <CapitalsInput
          label={t('englishName')}
          value={name}
          onChange={(newName) => {
            setName(newName);
            setRefused(false);
            if (save.isError) save.reset();
          }}
          maxLength={120}
          autoComplete="off"
          lang="en"
          hint={account.bankAccountName}
          error={isRefused ? t('requiredEnglish') : refusal.errorAt('bankAccountName')}
          data-autofocus
        />
        <FormFailure text={refusal.formError} />
      </form>
    </Modal>
  );
}
