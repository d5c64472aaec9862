import { PASSWORD_CHARACTERS_MAX } from '@krapao/contract/constants';
import { useId, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { FormFailure } from '../../ui/form-failure.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { toast } from '../../ui/toast-store.ts';

type ModalProps = { open: boolean; onClose: () => void };

/** Old password, new one, and the new one again. */
export function ChangePasswordModal({ open, onClose }: ModalProps) {
  const { t } = useTranslation(['profile', 'common']);
  const [isBusy, setBusy] = useState(false);
  const formId = useId();
  const footer = (
    <>
      <Button type="submit" form={formId} busy={isBusy && t('saving')}>
        {t('common:save')}
      </Button>
      <Button variant="quiet" onClick={onClose}>
        {t('common:cancel')}
      </Button>
    </>
  );
  return (
    <Modal open={open} onClose={onClose} title={t('changePassword')} footer={footer}>
      <ChangePasswordForm id={formId} isBusy={isBusy} onBusy={setBusy} onSaved={onClose} />
    </Modal>
  );
}

type FormProps = { id: string; isBusy: boolean; onBusy: (isBusy: boolean) => void; onSaved: () => void };

function ChangePasswordForm({ id, isBusy, onBusy, onSaved }: FormProps) {
  const { t } = useTranslation('profile');
  const [fields, setFields] = useState({ oldPassword: '', newPassword: '', confirm: '' });
  const [error, setError] = useState<string>();

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const { oldPassword, newPassword, confirm } = fields;
    if (isBusy || oldPassword === '' || newPassword === '' || confirm === '') return;
    if (newPassword !== confirm) return setError(t('passwordMismatch'));
    onBusy(true);
    try {
      await call('PUT /api/account/changepwd', { body: { oldPassword, newPassword } });
      toast.success(t('passwordChanged'));
      onSaved();
    } catch (failure) {
      setError(failureText(failure));
    }
    onBusy(false);
  }

  const input = (field: keyof typeof fields) => ({
    value: fields[field],
    maxLength: PASSWORD_CHARACTERS_MAX,
    onChange: (event: { target: { value: string } }) => {
      setFields({ ...fields, [field]: event.target.value });
      setError(undefined);
    },
  });

  return (
    <form id={id} method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <PasswordInput label={t('oldPassword')} autoComplete="current-password" {...input('oldPassword')} />
      <PasswordInput
        label={t('newPassword')}
        hint={t('newPasswordHint')}
        autoComplete="new-password"
        {...input('newPassword')}
      />
      <PasswordInput label={t('confirmPassword')} autoComplete="new-password" {...input('confirm')} />
      <FormFailure text={error} />
    </form>
  );
}
