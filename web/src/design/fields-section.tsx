import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AmountInput } from '../ui/form/amount-input.tsx';
import { Card } from '../ui/card.tsx';
import { Checkbox } from '../ui/form/checkbox.tsx';
import { CodeInput } from '../ui/form/code-input.tsx';
import { PhoneIcon, LockIcon } from '../ui/icons/shell-icons.tsx';
import { PasswordInput } from '../ui/form/password-input.tsx';
import { Select } from '../ui/form/select.tsx';
import { TextInput } from '../ui/form/text-input.tsx';

export function FieldsSection() {
  const { t } = useTranslation(['common', 'parts', 'errors']);
  const [amount, setAmount] = useState('100');
  const [code, setCode] = useState('');
  return (
    <Card title="Field">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label={t('title.profile')}
          lead={<PhoneIcon />}
          type="tel"
          inputMode="numeric"
          hint={t('parts:notFound.text')}
        />
        <TextInput
          label={t('title.profile')}
          defaultValue="08123"
          error={t('errors:errorMsg.PHONE_NUMBER_REQUIRE_10_DIGIT')}
        />
        <TextInput label={t('title.profile')} defaultValue="081 234 5678" readOnly />
        <PasswordInput
          label={t('showPassword')}
          lead={<LockIcon />}
          autoComplete="current-password"
          defaultValue="ญี่ปุ่น"
        />
        <AmountInput
          label={t('quickAmounts')}
          value={amount}
          onChange={setAmount}
          unit="THB"
          quickAmounts={[10, 20, 50, 100, 500, 1000]}
        />
        <CodeInput label="OTP" value={code} onChange={setCode} />
        <Select
          label={t('language.label')}
          options={(['th', 'la', 'en'] as const).map((value) => ({ value, label: t(`language.${value}`) }))}
        />
        <Checkbox label={t('ok')} defaultChecked />
        <Checkbox label={t('cancel')} />
      </div>
    </Card>
  );
}
