import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CapitalsInput } from '../../../ui/form/capitals-input.tsx';

/** As long as the server reads codes. */
const CODE_MAX = 32;

/** Asks for a promotion code, in upper case however it is typed or pasted. */
export function PromotionForm({ onSearch }: { onSearch: (code: string) => void }) {
  const { t } = useTranslation('bonus');
  const [typed, setTyped] = useState('');
  const [isMissing, setMissing] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const code = typed.trim();
    setMissing(code === '');
    if (code !== '') onSearch(code);
  };
  return (
    <Card title={t('promotion.heading')}>
      <form onSubmit={submit} noValidate className="grid gap-3">
        <CapitalsInput
          label={t('promotion.label')}
          value={typed}
          onChange={(code) => {
            setTyped(code);
            setMissing(false);
          }}
          required
          maxLength={CODE_MAX}
          autoComplete="off"
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
