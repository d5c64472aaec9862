import { type FairnessVerdict, verifySpin } from '@krapao/contract/fair-draw';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Reply } from '../../../api/endpoint-types.ts';
import { usePaged } from '../../../api/use-paged.ts';
import { formatDateTime } from '../../../format/date.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/state/error-state.tsx';
import { Pagination } from '../../../ui/pagination.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { browserHashing, canHash } from './hashing.ts';
import { Proof } from './proof.tsx';

const SPINS_PER_PAGE = 5;

type PastSpin = Reply<'POST /api/spinwheel/spins'>['spins'][number];

/** The spins that were made, newest first, each to be drawn again here. */
export function PastSpins() {
  const { t } = useTranslation('fairness');
  const spins = usePaged('POST /api/spinwheel/spins', { limit: SPINS_PER_PAGE, quiet: true });
  const { data } = spins;
  return (
    <section aria-labelledby="past-spins">
      <h3 id="past-spins" className="font-semibold">
        {t('past')}
      </h3>
      {spins.isPending && <Skeleton className="mt-2 h-40 w-full" />}
      {spins.isLoadingError && <ErrorState money={false} onRetry={spins.refetch} />}
      {data && data.total === 0 && <p className="mt-1 text-sm text-muted">{t('noPast')}</p>}
      {data && data.total > 0 && (
        <ul aria-label={t('past')} className={spins.isChangingPage ? 'opacity-60' : ''}>
          {data.spins.map((spin) => (
            <PastSpinRow key={`${spin.spinId} ${spin.serverSeed ?? ''}`} spin={spin} />
          ))}
        </ul>
      )}
      {spins.pager && <Pagination {...spins.pager} />}
    </section>
  );
}

function PastSpinRow({ spin }: { spin: PastSpin }) {
  const { t } = useTranslation('fairness');
  const { serverSeed, label, nonce, clientSeed, createdAt } = spin;
  const verify = useMutation({
    mutationFn: (seed: string) => verifySpin({ ...spin, serverSeed: seed }, browserHashing),
  });
  return (
    <li className="grid gap-2 border-b border-line py-3 last:border-b-0">
      <div className="flex items-center gap-3">
        <div className="min-w-0 grow">
          <p className="font-semibold">{label}</p>
          <p className="text-xs wrap-anywhere text-muted tabular-nums">
            {formatDateTime(createdAt)} · {t('spin', { nonce, seed: clientSeed })}
          </p>
        </div>
        {serverSeed !== null && canHash() && (
          <Button
            variant="quiet"
            size="sm"
            className="shrink-0 whitespace-nowrap"
            busy={verify.isPending && t('verifying')}
            onClick={() => verify.mutate(serverSeed)}
          >
            {t('verify')}
            <span className="sr-only"> · {label}</span>
          </Button>
        )}
      </div>
      {serverSeed === null && <p className="text-xs text-faint">{t('sealed')}</p>}
      {verify.data && <Verified spin={spin} verdict={verify.data} />}
    </li>
  );
}

function Verified({ spin, verdict }: { spin: PastSpin; verdict: FairnessVerdict }) {
  const { t } = useTranslation('fairness');
  return (
    <div role="status" className="grid gap-1.5 rounded-md bg-raised px-3 py-2">
      <Proof isTrue={verdict.isSeedCommitted} yes={t('seedFits')} no={t('seedDiffers')} />
      <Proof
        isTrue={verdict.drawnCode === spin.code}
        yes={t('drawFits', { label: spin.label })}
        no={t('drawDiffers', { code: verdict.drawnCode ?? '-' })}
      />
      <p className="font-mono text-xs break-all text-faint">{spin.commitment}</p>
    </div>
  );
}
