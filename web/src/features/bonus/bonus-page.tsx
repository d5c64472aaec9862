import { trimPasted } from '@krapao/contract/text/digits';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { apiQuery } from '../../api/query/query.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { useLazyDialog, usePreload } from '../../shared/lazy-dialog.ts';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { CapitalsInput } from '../../ui/core/normalized-input.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { readyForHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { ActiveBonus, EndedConditionNotes, OtherConditions } from './active-bonus.tsx';
import type { BonusDialogProps, OpenDialog } from './bonus-dialog.tsx';
import { BonusGrid } from './bonus-grid.tsx';

/** Same height as the promotion form, which most members see. */
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

/** The bonus page: active bonus or promotion form, other conditions, and all receivable bonuses. */
export function BonusPage({ onDeposit }: { onDeposit: () => void }) {
  const { t } = useTranslation('bonus');
  const bonusesQuery = useQuery(apiQuery('GET /api/bonus'));
  const activeQuery = useQuery(apiQuery('GET /api/bonus/check/active'));
  const active = activeQuery.data?.status ? activeQuery.data : undefined;
  // Separate from the page's content, which changes as soon as a bonus is received.
  const { opened, open, close } = useLazyDialog<ComponentType<BonusDialogProps>, OpenDialog>(loadBonusDialog);
  usePreload(loadBonusDialog, PRELOAD_DELAY_MS);
  return (
    <div className="mx-auto grid w-full max-w-2xl grid-cols-[minmax(0,1fr)] gap-5 lg:max-w-none lg:grid-cols-[24rem_minmax(0,1fr)] lg:items-start lg:gap-x-10">
      <h1 className="text-2xl font-bold lg:col-span-2">{t('title')}</h1>
      <div aria-busy={activeQuery.isPending} className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:sticky lg:top-22">
        <EndedConditionNotes />
        {activeQuery.isPending && <FormSkeleton />}
        {activeQuery.isLoadingError && (
          <Card>
            <ErrorState
              title={t('active.unknown')}
              reason={failureText(activeQuery.error)}
              onRetry={() => void Promise.all([activeQuery.refetch(), bonusesQuery.data ?? bonusesQuery.refetch()])}
            />
          </Card>
        )}
        {active && <ActiveBonus active={active} onCancel={() => open({ kind: 'cancel', active })} />}
        {activeQuery.data && !active && <PromotionForm onSearch={(code) => open({ kind: 'promotion', code })} />}
        {activeQuery.data && (
          <OtherConditions
            status={activeQuery.data}
            onGiveBack={(condition) => open({ kind: 'giveBack', condition })}
          />
        )}
      </div>
      <BonusGrid
        bonuses={bonusesQuery.data}
        isPending={bonusesQuery.isPending}
        onOpen={({ code }) => open({ kind: 'bonus', code })}
      />
      {opened && (
        <DialogBoundary sectionName={`dialog ${opened.input.kind}`} onClose={close}>
          <opened.loaded
            openDialog={opened.input}
            bonuses={bonusesQuery.data}
            active={active}
            onDeposit={onDeposit}
            onClose={close}
          />
        </DialogBoundary>
      )}
    </div>
  );
}

/** Loads the dialogs when one is opened or the page is idle. */
const loadBonusDialog = async () => {
  const [{ BonusDialog }] = await Promise.all([
    import('./bonus-dialog.tsx'),
    readyForHtml(),
    loadNamespaces(['errors']),
  ]);
  return BonusDialog;
};
const PRELOAD_DELAY_MS = 1_500;

/** Maximum length that the server accepts. */
const CODE_CHARACTERS_MAX = 32;

/** Promotion code form; converts the code to upper case. */
export function PromotionForm({ onSearch }: { onSearch: (code: string) => void }) {
  const { t } = useTranslation('bonus');
  const [typedCode, setTypedCode] = useState('');
  const [isCodeMissing, setCodeMissing] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const code = trimPasted(typedCode);
    setCodeMissing(code === '');
    if (code !== '') onSearch(code);
  };
  return (
    <Card title={t('promotion.heading')}>
      <form onSubmit={submit} noValidate className="grid gap-3">
        <CapitalsInput
          label={t('promotion.label')}
          value={typedCode}
          onChange={(code) => {
            setTypedCode(code);
            setCodeMissing(false);
          }}
          required
          maxLength={CODE_CHARACTERS_MAX}
          autoComplete="off"
          enterKeyHint="search"
          lang="en"
          hint={t('promotion.hint')}
          error={isCodeMissing ? t('promotion.required') : undefined}
        />
        <Button type="submit" wide>
          {t('promotion.search')}
        </Button>
      </form>
    </Card>
  );
}
