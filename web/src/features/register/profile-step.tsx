import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX } from '@krapao/contract/constants';
import { useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../shell/error-text.ts';
import { formRefusal } from '../../shared/refusal-text.ts';
import { useLookup } from '../../api/lookup.ts';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { ChoicesFailed } from '../../ui/choices-failed.tsx';
import { focusField, FormFailure } from '../../ui/core/field.tsx';
import { PasswordInput } from '../../ui/core/password-input.tsx';
import { Select } from '../../ui/core/select.tsx';
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
  /** Token of the code that verified the phone; empty if none was needed. */
  otpToken: string;
  fields: ProfileFields;
  onFields: (fields: ProfileFields) => void;
  /** @param unknownCode the invite code, if no member has it; registration continues */
  onDone: (unknownCode: string | undefined) => void;
  onBack: () => void;
  /** Failure of a later step that concerns these fields. */
  refusal: unknown;
  /** Shows the step that a failure concerns. @returns false if it is this step or none */
  onRefused: (failure: unknown) => boolean;
};

/** Required in the browser; the server validates everything else. */
const NEEDED = ['name', 'password', 'confirmPassword'] as const;
/** Fields that the server may refuse. */
export const PROFILE_REFUSED = ['name', 'password', 'sourceCode'] as const;

/** State, errors and server validation of step 3. */
function useProfileForm(props: ProfileStepProps) {
  const { phone, currency, otpToken, fields, onFields, onDone, refusal, onRefused } = props;
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState({ ...fields, inviteCode: fields.inviteCode || savedInviteCode() });
  const [isMismatch, setMismatch] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [answer, setAnswer] = useState(refusal);

  const refused = formRefusal(answer, PROFILE_REFUSED);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isChecking) return;
    setAnswer(undefined);
    setMismatch(false);
    onFields(typed);
    const { confirmPassword, ...registration } = typed;
    const empty = NEEDED.find((field) => typed[field].trim() === '');
    if (empty) focusField(form.current, empty);
    if (empty || phone === '') return;
    if (typed.password.normalize() !== confirmPassword.normalize()) {
      setMismatch(true);
      return focusField(form.current, 'confirmPassword');
    }
    setChecking(true);
    try {
      const body = { ...registration, username: phone, currency, otpToken };
      const { inviter } = await call('POST /api/account/validate', { body });
      onDone(inviter === 'unknown' ? typed.inviteCode.trim() : undefined);
    } catch (failure) {
      setChecking(false);
      if (onRefused(failure)) return;
      setAnswer(failure);
      const { field } = formRefusal(failure, PROFILE_REFUSED);
      if (field) focusField(form.current, field);
    }
  }

  const input = (field: keyof ProfileFields) => ({
    name: field,
    'data-autofocus': (refusal && refused.field === field) || undefined,
    // Remounted when the choices have loaded.
    autoFocus: Boolean(refusal) && refused.field === field,
    value: typed[field],
    onChange: ({ target: { value } }: { target: { value: string } }) => {
      const next = { ...typed, [field]: value };
      setTyped(next);
      onFields(next);
      setAnswer(undefined);
      if (field === 'confirmPassword') setMismatch(false);
    },
  });
  return { form, input, isMismatch, isChecking, refused, submit };
}

/** Step 3: the member's profile. Continues only after the server has accepted it. */
export function ProfileStep(props: ProfileStepProps) {
  const { t } = useTranslation(['register', 'common']);
  const { data: sources, failure: noSources, retry } = useLookup('GET /api/lookup/sources');
  const { form, input, isMismatch, isChecking, refused, submit } = useProfileForm(props);
  useBack(props.onBack);

  return (
    <form ref={form} method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <TextInput
        label={t('name')}
        autoComplete="nickname"
        maxLength={NAME_CHARACTERS_MAX}
        error={refused.at('name')}
        {...input('name')}
      />
      <PasswordInput
        label={t('password')}
        hint={t('passwordHint')}
        autoComplete="new-password"
        maxLength={PASSWORD_CHARACTERS_MAX}
        error={refused.at('password')}
        {...input('password')}
      />
      <PasswordInput
        label={t('confirmPassword')}
        autoComplete="new-password"
        maxLength={PASSWORD_CHARACTERS_MAX}
        error={isMismatch ? t('passwordMismatch') : undefined}
        {...input('confirmPassword')}
      />
      {/* Remounted when the choices have loaded: a list without them can't hold the previous choice. */}
      <Select
        key={sources ? 'full' : 'empty'}
        label={t('source')}
        placeholder={t('chooseSource')}
        options={(sources ?? []).map(({ code, description }) => ({ value: code, label: description }))}
        hint={Boolean(noSources) && <ChoicesFailed reason={failureText(noSources)} onRetry={retry} />}
        error={refused.at('sourceCode')}
        {...input('sourceCode')}
      />
      <TextInput
        label={t('inviteCode')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...input('inviteCode')}
      />
      <FormFailure text={refused.whole} />
      <StepButtons label={t('common:next')} busy={isChecking && t('checking')} onBack={props.onBack} />
    </form>
  );
}
