import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/use-lookup.ts';
import { BankMark } from '../../ui/art/bank-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { isGateway } from './gateway.ts';
import { PanelToCome } from './panel-to-come.tsx';
import { QrPanel } from './qr-panel.tsx';

/** The ways to put money in, as the operator lists them. */
export function DepositDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('deposit');
  return (
    <Modal open onClose={onClose} title={t('title')}>
      <Methods onClose={onClose} />
    </Modal>
  );
}

function Methods({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['deposit', 'common']);
  const { data, failure, retry } = useLookup('GET /api/lookup/deposit');
  const [chosen, setChosen] = useState<string>();
  const gateways = data?.banks.filter(isGateway) ?? [];
  const selected = gateways.find(({ bankCode }) => bankCode === chosen) ?? gateways[0];
  // A failed look-up says nothing of itself: the list is empty, and can be asked for again.
  if (failure || (data && !selected))
    return (
      <EmptyState
        title={t('empty')}
        text={t('emptyHint')}
        action={
          <Button variant="quiet" size="sm" onClick={retry}>
            {t('common:retry')}
          </Button>
        }
      />
    );
  if (!selected) return <PanelToCome />;
  const panel = <QrPanel key={selected.bankCode} account={selected} onClose={onClose} />;
  if (gateways.length === 1) return panel;
  return (
    <Tabs
      label={t('method')}
      tabs={gateways.map(({ bankCode, bank }) => ({
        id: bankCode,
        label: (
          <span className="flex items-center gap-2">
            <BankMark code={bankCode} className="size-7" />
            {bank.nameEN}
          </span>
        ),
      }))}
      selected={selected.bankCode}
      onSelect={setChosen}
    >
      {panel}
    </Tabs>
  );
}
