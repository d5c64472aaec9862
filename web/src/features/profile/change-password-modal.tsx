import { PASSWORD_CHARACTERS_MAX } from '@krapao/contract/constants';
import { useId, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { formRefusal } from '../../shared/refusal-text.ts';
import { Button } from '../../ui/core/button.tsx';
import { FormFailure } from '../../ui/core/field.tsx';
import { PasswordInput } from '../../ui/core/password-input.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Popup } from '../../ui/popup.tsx';

type ModalProps = { open: boolean; onClose: () => void };

export function ChangePasswordModal({ open, onClose }: ModalProps) {
  const { t } = useTranslation(['profile', 'common']);
  const [isBusy, setBusy] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const formId = useId();
  const closeAndReset = (): void => {
    setSaved(false);
    onClose();
  };
  if (open && isSaved)
    return (
      <Popup open tone="success" title={t('common:success')} message={t('passwordChanged')} onClose={closeAndReset} />
    );
  const footer = (
    <>
      <Button type="submit" form={formId} busy={isBusy && t('saving')}>
        {t('common:save')}
      </Button>
      <Button variant="quiet" disabled={isBusy} onClick={onClose}>
        {t('common:cancel')}
      </Button>
    </>
  );
  return (
    <Modal open={open} onClose={isBusy ? undefined : onClose} title={t('changePassword')} footer={footer}>
      <ChangePasswordForm id={formId} isBusy={isBusy} onBusy={setBusy} onSaved={() => setSaved(true)} />
    </Modal>
  );
}

type PasswordFormProps = { id: string; isBusy: boolean; onBusy: (isBusy: boolean) => void; onSaved: () => void };

function ChangePasswordForm({ id, isBusy, onBusy, onSaved }: PasswordFormProps) {
  const { t } = useTranslation('profile');
  const [fields, setFields] = useState({ oldPassword: '', newPassword: '', confirm: '' });
  const [isMismatch, setMismatch] = useState(false);
  const [submitFailure, setSubmitFailure] = useState<unknown>();
  const refusal = formRefusal(submitFailure, ['newPassword']);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const { oldPassword, newPassword, confirm } = fields;
    if (isBusy || oldPassword === '' || newPassword === '' || confirm === '') return;
    if (newPassword.normalize() !== confirm.normalize()) return setMismatch(true);
    onBusy(true);
    try {
      await call('PUT /api/account/changepwd', { body: { oldPassword, newPassword } });
      onSaved();
    } catch (failure) {
      setSubmitFailure(failure);
    }
    onBusy(false);
  }

  const inputProps = (field: keyof typeof fields) => ({
    value: fields[field],
    maxLength: PASSWORD_CHARACTERS_MAX,
    onChange: (event: { target: { value: string } }) => {
      setFields({ ...fields, [field]: event.target.value });
      setMismatch(false);
      setSubmitFailure(undefined);
    },
  });

  return (
    <form id={id} method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <PasswordInput label={t('oldPassword')} autoComplete="current-password" {...inputProps('oldPassword')} />
      <PasswordInput
        label={t('newPassword')}
        hint={t('newPasswordHint')}
        autoComplete="new-password"
        error={refusal.errorAt('newPassword')}
        {...inputProps('newPassword')}
      />
      <PasswordInput label={t('confirmPassword')} autoComplete="new-password" {...inputProps('confirm')} />
      <FormFailure text={isMismatch ? t('passwordMismatch') : refusal.formError} />
    </form>
  );
}
