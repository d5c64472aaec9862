import { type ChangeEvent, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextInput } from '../../../ui/form/text-input.tsx';

/** As long as the server reads codes. */
const CODE_MAX = 32;

/** Asks for a promotion code, in upper case however it is typed or pasted. */
export function PromotionForm({ onSearch }: { onSearch: (code: string) => void }) {
  const { t } = useTranslation('bonus');
  const [typed, setTyped] = useState('');
  const [isMissing, setMissing] = useState(false);
  const change = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const upper = target.value.toUpperCase();
    // The caret stays where the person has it, in the middle of a code too.
    const { selectionStart, selectionEnd } = target;
    if (target.value !== upper) {
      target.value = upper;
      target.setSelectionRange(selectionStart, selectionEnd);
    }
    setTyped(upper);
    setMissing(false);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const code = typed.trim();
    setMissing(code === '');
    if (code !== '') onSearch(code);
  };
  return (
    <Card title={t('promotion.heading')}>
      <form onSubmit={submit} noValidate className="grid gap-3">
        <TextInput
          label={t('promotion.label')}
          value={typed}
          onChange={change}
          required
          maxLength={CODE_MAX}
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="search"
          lang="en"
          hint={t('promotion.hint')}
          error={isMissing ? t('promotion.required') : undefined}
        />
        <Button type="submit" wide>
          {t('promotion.search')}
        </Button>
      </form>
    </Card>
  );
}
