import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../shell/error-text.ts';
import { apiQuery } from '../../api/query/query.ts';
import { Card } from '../../ui/core/card.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { ActiveBonus, EndedConditionNotes, OtherConditions } from './active-bonus.tsx';
import { BonusGrid } from './bonus-grid.tsx';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { type ComponentType, useEffect, useState, type SubmitEvent } from 'react';
import { beginPending } from '../../api/call.ts';
import { handleChunkError } from '../../routing/navigation.ts';
import { readyForHtml } from '../../ui/data/safe-html.tsx';
import type { BonusDialogProps, OpenDialog } from './bonus-dialog.tsx';
import { Button } from '../../ui/core/button.tsx';
import { CapitalsInput } from '../../ui/core/normalized-input.tsx';

/** As high as the promotion form, which most members see. */
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

/** The active bonus or the promotion form, other conditions, and all receivable offers. */
export function BonusPage({ onDeposit }: { onDeposit: () => void }) {
  const { t } = useTranslation('bonus');
  const list = useQuery(apiQuery('GET /api/bonus'));
  const check = useQuery(apiQuery('GET /api/bonus/check/active'));
  const active = check.data?.status ? check.data : undefined;
  // Independent of the page's content, which changes as soon as an offer is received.
  const { Dialog, open, show, close } = useBonusDialog();
  return (
    <div className="mx-auto grid w-full max-w-2xl grid-cols-[minmax(0,1fr)] gap-5 lg:max-w-none lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-x-10">
      <h1 className="text-2xl font-bold lg:col-span-2">{t('title')}</h1>
      <div aria-busy={check.isPending} className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:sticky lg:top-22">
        <EndedConditionNotes />
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

/** Loads on demand, or when the page is idle. */
const load = async () => {
  const [{ BonusDialog }] = await Promise.all([import('./bonus-dialog.tsx'), readyForHtml()]);
  return BonusDialog;
};
const REST_MS = 1_500;

/** The open dialog, and its component once loaded. */
export function useBonusDialog() {
  const [Dialog, setDialog] = useState<ComponentType<BonusDialogProps>>();
  const [open, setOpen] = useState<OpenDialog>();
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const show = async (next: OpenDialog): Promise<void> => {
    const end = beginPending();
    try {
      const BonusDialog = await load();
      setDialog(() => BonusDialog);
      setOpen(next);
    } catch (failure) {
      handleChunkError(failure);
    } finally {
      end();
    }
  };
  return { Dialog, open, show, close: () => setOpen(undefined) };
}

/** The server's limit for codes. */
const CODE_MAX = 32;

/** Promotion code form; the code is converted to upper case. */
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
