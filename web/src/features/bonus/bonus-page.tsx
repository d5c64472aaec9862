import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shared/errors/failure-text.ts';
import { apiQuery } from '../../api/query.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { ActiveBonus } from './active/active-bonus.tsx';
import { BonusGrid } from './bonus-grid.tsx';
import { EndedNotes } from './active/ended-notes.tsx';
import { OtherConditions } from './active/other-conditions.tsx';
import { PromotionForm } from './promotion/promotion-form.tsx';
import { useDialog } from './use-dialog.ts';
import { DialogBoundary } from '../../shared/errors/dialog-boundary.tsx';

/** As high as the form for a code, which most members get. */
function FormSkeleton() {
  return (
    <div className="relative">
      <div inert aria-hidden="true" className="invisible">
        <PromotionForm onSearch={() => undefined} />
      </div>
      <Skeleton className="absolute! inset-0 rounded-lg!" />
    </div>
  );
}

/** The bonus in use or a place for a code, what else holds money back, and all that can be received. */
export function BonusPage({ onDeposit }: { onDeposit: () => void }) {
  const { t } = useTranslation('bonus');
  const list = useQuery(apiQuery('GET /api/bonus'));
  const check = useQuery(apiQuery('GET /api/bonus/check/active'));
  const active = check.data?.status ? check.data : undefined;
  // Open over whatever stands on the page, which changes as soon as something is received.
  const { Dialog, open, show, close } = useDialog();
  return (
    <div className="mx-auto grid w-full max-w-2xl grid-cols-[minmax(0,1fr)] gap-5 lg:max-w-none lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-x-10">
      <h1 className="text-2xl font-bold lg:col-span-2">{t('title')}</h1>
      <div aria-busy={check.isPending} className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:sticky lg:top-22">
        <EndedNotes />
        {check.isPending && <FormSkeleton />}
        {check.isLoadingError && (
          <Card>
            <ErrorState
              title={t('active.unknown')}
              reason={failureText(check.error)}
              onRetry={() => void Promise.all([check.refetch(), list.data ?? list.refetch()])}
            />
          </Card>
        )}
        {active && <ActiveBonus active={active} onCancel={() => void show({ kind: 'cancel', active })} />}
        {check.data && !active && <PromotionForm onSearch={(code) => void show({ kind: 'promotion', code })} />}
        {check.data && (
          <OtherConditions status={check.data} onGiveBack={(condition) => void show({ kind: 'giveBack', condition })} />
        )}
      </div>
      <BonusGrid
        bonuses={list.data}
        isPending={list.isPending}
        onOpen={({ code }) => void show({ kind: 'bonus', code })}
      />
      {Dialog && open && (
        <DialogBoundary part={`dialog ${open.kind}`} onClose={close}>
          <Dialog open={open} bonuses={list.data} active={active} onDeposit={onDeposit} onClose={close} />
        </DialogBoundary>
      )}
    </div>
  );
}
