import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatNumber } from '../../../format/number.ts';
import { canHash } from './hashing.ts';
import { PastSpins } from './past-spins.tsx';
import { SeedForm } from './seed-form.tsx';
import type { WheelReply } from '../wheel/use-wheel.ts';

/** What is fixed before the next spin, the member's part in it, and past spins. */
export function FairnessPanel({ wheel }: { wheel: WheelReply }) {
  const { t } = useTranslation('fairness');
  const { commitment, nextCommitment, nonce } = wheel.fairness;
  const { version, weightsHash } = wheel.activeSpinwheel;
  return (
    <div className="grid gap-5">
      <p className="text-sm text-muted">{t('how')}</p>
      {!canHash() && <p className="rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">{t('insecure')}</p>}
      <dl className="grid gap-3">
        <Hex name={t('commitment')} value={commitment} />
        <Hex name={t('next')} value={nextCommitment} />
        <Hex name={t('weights', { version })} value={weightsHash} />
        <div className="flex items-baseline justify-between gap-3">
          <dt className="text-sm text-muted">{t('nonce')}</dt>
          <dd className="amount font-semibold">{formatNumber(nonce, 0)}</dd>
        </div>
      </dl>
      <SeedForm fairness={wheel.fairness} />
      <PastSpins />
    </div>
  );
}

function Hex({ name, value }: { name: string; value: string }) {
  const { t } = useTranslation('fairness');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="row-span-2">
        <CopyButton compact text={value} label={t('copy', { name })} />
      </dd>
      <dd className="font-mono text-xs break-all">{value}</dd>
    </div>
  );
}
