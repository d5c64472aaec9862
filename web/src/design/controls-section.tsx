import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { CloseIcon } from '../ui/icons/shell-icons.tsx';
import { DepositIcon, InviteIcon, SpinIcon, WithdrawIcon } from '../ui/icons/member-icons.tsx';
import { Pagination } from '../ui/pagination.tsx';
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
