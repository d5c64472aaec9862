import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@krapao/contract/constants';
import { trimPasted } from '@krapao/contract/text/digits';
import { useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import { formRefusal } from '../../shared/refusal-text.ts';
import { focusField, FormFailure } from '../../ui/core/field.tsx';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { PasswordInput } from '../../ui/core/password-input.tsx';
import { Select, ChoicesFailed } from '../../ui/core/select.tsx';
import { TextInput } from '../../ui/core/text-input.tsx';
import { savedInviteCode } from './registration-draft.ts';
import { StepButtons } from './step-buttons.tsx';

export type ProfileFields = {
  name: string;
  password: string;
  confirmPassword: string;
  sourceCode: string;
  inviteCode: string;
};

export type ProfileStepProps = {
  phone: string;
  currency: string;
  /** Token of the code that verified the phone; '' if no code was needed. */
  otpToken: string;
  fields: ProfileFields;
  onFields: (fields: ProfileFields) => void;
  /** @param unknownCode the entered invite code if no member has that code; registration continues */
  onDone: (unknownCode: string | undefined) => void;
  onBack: () => void;
  /** Failure of a later step that concerns a field of this step. */
  refusal: unknown;
  /** Opens the step that a failure concerns. @returns false if the failure concerns this step or no step */
  onRefused: (failure: unknown) => boolean;
};

/** Fields checked in the browser; the server validates the others. */
const REQUIRED_FIELDS = ['name', 'password', 'confirmPassword'] as const;
/** Server names of the fields that the server may refuse. */
export const PROFILE_REFUSED = ['name', 'password', 'sourceCode', 'inviteCode'] as const;

/** State, errors and server validation of the form of step 3. */
function useProfileForm(props: ProfileStepProps) {
  const { phone, currency, otpToken, fields, onFields, onDone, refusal, onRefused } = props;
  const form = useRef<HTMLFormElement>(null);
  const [typedFields, setTypedFields] = useState({ ...fields, inviteCode: fields.inviteCode || savedInviteCode() });
  const [isMismatch, setMismatch] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [submitFailure, setSubmitFailure] = useState(refusal);

  const fieldRefusal = formRefusal(submitFailure, PROFILE_REFUSED);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isChecking) return;
    setSubmitFailure(undefined);
    setMismatch(false);
    onFields(typedFields);
    const { confirmPassword, ...registration } = typedFields;
    const emptyField = REQUIRED_FIELDS.find((field) => trimPasted(typedFields[field]) === '');
    if (emptyField) focusField(form.current, emptyField);
    if (emptyField || phone === '') return;
    if (typedFields.password.normalize() !== confirmPassword.normalize()) {
      setMismatch(true);
      return focusField(form.current, 'confirmPassword');
    }
    setChecking(true);
    try {
      const body = { ...registration, username: phone, currency, otpToken };
      const { inviter } = await call('POST /api/account/validate', { body });
      onDone(inviter === 'unknown' ? trimPasted(typedFields.inviteCode) : undefined);
    } catch (failure) {
      setChecking(false);
      if (onRefused(failure)) return;
      setSubmitFailure(failure);
      const { field } = formRefusal(failure, PROFILE_REFUSED);
      if (field) focusField(form.current, field);
    }
  }

  const inputProps = (field: keyof ProfileFields) => ({
    name: field,
    'data-autofocus': (refusal && fieldRefusal.field === field) || undefined,
    // Focuses the select again after its options have loaded, which remounts the select.
    autoFocus: Boolean(refusal) && fieldRefusal.field === field,
    value: typedFields[field],
    onChange: ({ target: { value } }: { target: { value: string } }) => {
      const newFields = { ...typedFields, [field]: value };
      setTypedFields(newFields);
      onFields(newFields);
      setSubmitFailure(undefined);
      if (field === 'confirmPassword') setMismatch(false);
    },
  });
  const isShort = Array.from(typedFields.password).length < PASSWORD_CHARACTERS_MIN;
  return { form, inputProps, isMismatch, isShort, isChecking, fieldRefusal, submit };
}

/** Step 3: the member's profile. Continues only after the server has accepted the fields. */
export function ProfileStep(props: ProfileStepProps) {
  const { t } = useTranslation(['register', 'common']);
  const { data: sources, failure: sourcesFailure, retry } = useOperatorData('GET /api/lookup/sources');
  const { form, inputProps, isMismatch, isShort, isChecking, fieldRefusal, submit } = useProfileForm(props);
  useBack(props.onBack);

  return (
    <form ref={form} method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <TextInput
        label={t('name')}
        hint={t('nameHint')}
        autoComplete="nickname"
        maxLength={NAME_CHARACTERS_MAX}
        error={fieldRefusal.errorAt('name')}
        {...inputProps('name')}
      />
      <PasswordInput
        label={t('password')}
        hint={t('passwordHint')}
        autoComplete="new-password"
        maxLength={PASSWORD_CHARACTERS_MAX}
        error={fieldRefusal.errorAt('password') ?? (isMismatch && isShort ? t('passwordHint') : undefined)}
        {...inputProps('password')}
      />
      <PasswordInput
        label={t('confirmPassword')}
        autoComplete="new-password"
        maxLength={PASSWORD_CHARACTERS_MAX}
        error={isMismatch ? t('passwordMismatch') : undefined}
        {...inputProps('confirmPassword')}
      />
      {/* Remounted when the options have loaded, because a select without options can't hold the previous choice. */}
      <Select
        key={sources ? 'full' : 'empty'}
        label={t('source')}
        placeholder={t('chooseSource')}
        options={(sources ?? []).map(({ code, description }) => ({ value: code, label: description }))}
        hint={Boolean(sourcesFailure) && <ChoicesFailed reason={failureText(sourcesFailure)} onRetry={retry} />}
        error={fieldRefusal.errorAt('sourceCode')}
        {...inputProps('sourceCode')}
      />
      <TextInput
        label={t('inviteCode')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={fieldRefusal.errorAt('inviteCode')}
        {...inputProps('inviteCode')}
      />
      <FormFailure text={fieldRefusal.formError} />
      <StepButtons label={t('common:next')} busyText={isChecking && t('checking')} onBack={props.onBack} />
    </form>
  );
}
