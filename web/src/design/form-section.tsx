import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AmountInput } from '../ui/amount-input.tsx';
import { CodeInput } from '../ui/code-input.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Button } from '../ui/core/button.tsx';
import { Card } from '../ui/core/card.tsx';
import { Checkbox } from '../ui/core/checkbox.tsx';
import { IconButton } from '../ui/core/icon-button.tsx';
import { CloseIcon, PhoneIcon, LockIcon } from '../ui/core/icons.tsx';
import { PasswordInput } from '../ui/core/password-input.tsx';
import { Select } from '../ui/core/select.tsx';
import { TextInput } from '../ui/core/text-input.tsx';
import { DepositIcon, InviteIcon, SpinIcon, WithdrawIcon } from '../ui/data/member-icons.tsx';
import { Pagination } from '../ui/data/pagination.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Tile } from '../ui/tile.tsx';

const variants = ['primary', 'gold', 'quiet', 'plain', 'danger'] as const;

export function ControlsSection() {
  const { t } = useTranslation('common');
  const [tab, setTab] = useState<'home' | 'statement' | 'contact'>('home');
  const [page, setPage] = useState(5);
  return (
    <Card title="Button, Tile, Tabs, Pagination">
      <div className="flex flex-wrap gap-3">
        {variants.map((variant) => (
          <Button key={variant} variant={variant}>
            {t('ok')}
          </Button>
        ))}
        <Button disabled>{t('save')}</Button>
        <Button busy={t('loading')}>{t('save')}</Button>
        <Button size="sm" variant="gold" icon={<DepositIcon className="size-5" />}>
          {t('next')}
        </Button>
        <IconButton label={t('close')}>
          <CloseIcon />
        </IconButton>
        <CopyButton text="123-456-7890" />
      </div>
      <div className="mt-5 grid grid-cols-3 gap-3">
        <Tile icon={<DepositIcon />} label={t('menu.home')} tone="lacquer" onClick={() => undefined} />
        <Tile icon={<WithdrawIcon />} label={t('menu.statement')} onClick={() => undefined} />
        <Tile icon={<SpinIcon />} label={t('menu.conditions')} badge="12" tone="gold" onClick={() => undefined} />
        <Tile icon={<InviteIcon />} label={t('menu.contact')} disabled onClick={() => undefined} />
      </div>
      <div className="mt-5">
        <Tabs
          label={t('menu.label')}
          selected={tab}
          onSelect={setTab}
          tabs={[
            { id: 'home', label: t('menu.home') },
            { id: 'statement', label: t('menu.statement') },
            { id: 'contact', label: t('menu.contact') },
          ]}
        >
          {t(`menu.${tab}`)}
        </Tabs>
      </div>
      <Pagination page={page} total={93} limit={10} onPage={setPage} />
    </Card>
  );
}

export function FieldsSection() {
  const { t } = useTranslation(['common', 'parts', 'errors']);
  const [amount, setAmount] = useState('100');
  const [code, setCode] = useState('');
  return (
    <Card title="Field">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          label={t('title.profile')}
          leadIcon={<PhoneIcon />}
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
          leadIcon={<LockIcon />}
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
