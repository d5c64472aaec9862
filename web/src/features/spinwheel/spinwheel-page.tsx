import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { apiQuery } from '../../api/query/query.ts';
import { formatNumber } from '../../format/number.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { useLazyModule } from '../../routing/navigation.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { WheelArt } from '../../ui/art/wheel-art.tsx';
import { buttonClass } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { useDelayed } from '../../ui/core/loader.tsx';
import { useSlidingContent } from '../../ui/core/sliding-content.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Coupons } from './coupons.tsx';
import { Fairness, Odds } from './fairness.tsx';
import { reloadWheel, type SpinState, type SpinStep, useSpin } from './use-spin.ts';
import { useWheel, type Slice, type WheelReply as WheelData, type WheelDialogs } from './use-wheel.ts';
import type { WheelMotion } from './wheel-motion.ts';
import { Wheel } from './wheel.tsx';

/** Loads the dialogs and the namespace `errors`. A refused spin is a successful reply, which does not load `errors`. */
async function loadDialogs() {
  const [dialogs] = await Promise.all([import('./wheel-dialogs.tsx'), loadNamespaces(['errors'])]);
  return dialogs;
}

/** The wheel, the member's coupons, the odds, and the verification of spins. */
export function SpinPage() {
  const { t } = useTranslation(['spinwheel', 'common']);
  const activeQuery = useQuery(apiQuery('GET /api/spinwheel/active', { quiet: true }));
  const isOpen = activeQuery.data?.isActive ?? false;
  const { loadedModule: dialogs, load } = useLazyModule(loadDialogs);
  const { query, wheel, slicesOf } = useWheel(isOpen);
  // Also shown while the wheel is closed, because coupons expire.
  const nameRef = useRef<HTMLHeadingElement>(null);
  useSlidingContent(nameRef);
  const columnRef = useRef<HTMLElement>(null);
  useSlidingContent(columnRef);
  const coupons = <Coupons isEnabled={activeQuery.data !== undefined} dialogs={dialogs} onDialog={load} />;
  if (activeQuery.data && !isOpen) return <ClosedWheel>{coupons}</ClosedWheel>;
  const reload = (): unknown => Promise.all([activeQuery.refetch(), isOpen && query.refetch()]);
  return (
    <div className="mx-auto grid w-full max-w-5xl grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,1fr)_25rem] lg:items-start lg:gap-8">
      <section ref={columnRef} aria-labelledby="wheel-name" className="wheel-column grid gap-4 lg:sticky lg:top-20">
        <h1 ref={nameRef} id="wheel-name" className="text-center text-2xl font-bold">
          {wheel?.activeSpinwheel.name ?? t('title')}
        </h1>
        {wheel ? (
          <OpenWheel dialogs={dialogs} onDialog={load} wheel={wheel} slicesOf={slicesOf} />
        ) : activeQuery.isLoadingError || query.isLoadingError ? (
          <Card>
            <ErrorState title={t('failed')} money={t('failedMoney')} onRetry={reload} />
          </Card>
        ) : (
          <WheelSkeleton />
        )}
      </section>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {!activeQuery.isLoadingError && coupons}
        {wheel && <Odds slices={wheel.activeSpinwheel.sliceList} />}
        {wheel && <Fairness wheel={wheel} />}
      </div>
    </div>
  );
}

function WheelSkeleton() {
  const { t } = useTranslation(['common', 'spinwheel']);
  return (
    <div role="status" aria-label={t('loading')} className="grid justify-items-center gap-4">
      <Skeleton className="aspect-square w-[min(85vw,350px)] rounded-full!" />
      {/* Same height as the text below the wheel. */}
      <div className="flex min-h-27 flex-col items-center justify-end gap-1 text-center">
        <Skeleton className="h-6 w-56" />
        {/* `early-terms.ts` shows the text before the app has loaded. */}
        <p
          data-early-terms={t('spinwheel:earn', { amount: '{}' })}
          aria-hidden="true"
          className="text-sm text-transparent"
          suppressHydrationWarning
        >
          {/* As long as the text with the amount, which may take two lines. */}
          {t('spinwheel:earn', { amount: '฿500.00' })}
        </p>
        <p className="text-sm text-muted">{t('spinwheel:earnNot')}</p>
      </div>
    </div>
  );
}

/** Shown while the wheel is closed: the member's coins, and the children below. */
export function ClosedWheel({ children }: { children: ReactNode }) {
  const { t } = useTranslation('spinwheel');
  const coins = useWallet().data?.profile.coin ?? 0;
  return (
    <div className="mx-auto w-full max-w-2xl">
      <h1 className="mb-4 text-2xl font-bold">{t('title')}</h1>
      <Card>
        <EmptyState
          art={<WheelArt />}
          title={t('closed')}
          text={t('hint')}
          action={
            <>
              {coins > 0 && <CoinCount count={coins} />}
              <Link href="/user/home" className={buttonClass('quiet', 'sm')}>
                {t('home')}
              </Link>
            </>
          }
        />
      </Card>
      <div className="mt-5">{children}</div>
    </div>
  );
}

function CoinCount({ count }: { count: number }) {
  const { t } = useTranslation('spinwheel');
  return (
    <dl className="grid w-full max-w-xs gap-1 rounded-md bg-raised px-4 py-3">
      <dt className="text-sm text-muted">{t('coins')}</dt>
      <dd className="amount text-xl font-bold text-gold-lit">{formatNumber(count, 0)}</dd>
      <dd className="text-xs text-muted">{t('kept')}</dd>
    </dl>
  );
}

/** After a skipped spin, presses in this time are still about that spin and take no coin. */
const SKIP_REST_MS = 800;
/** Delay in ms before a text explains the wait. */
const TEXT_DELAY_MS = 2_000;

export type OpenWheelProps = {
  dialogs: WheelDialogs | undefined;
  /** Preloads the dialogs. */
  onDialog: () => void;
  wheel: WheelData;
  slicesOf: (version: number) => Promise<readonly Slice[]>;
};

/** The wheel with its button, the result of the spin, and how to earn coins. */
export function OpenWheel({ dialogs, onDialog, wheel, slicesOf }: OpenWheelProps) {
  const { t } = useTranslation('spinwheel');
  const money = useCurrency();
  const motionRef = useRef<WheelMotion>(null);
  const skippedAtMs = useRef(-SKIP_REST_MS);
  const { state, step, spin, reset } = useSpin(motionRef, slicesOf);
  const { activeSpinwheel, userCoin, coinPer } = wheel;
  const pressWheel = (): void => {
    if (step === 'spinning') {
      skippedAtMs.current = performance.now();
      return motionRef.current?.skip();
    }
    if (performance.now() - skippedAtMs.current < SKIP_REST_MS) return;
    onDialog();
    if (userCoin > 0) spin();
  };
  const closeResult = (): void => {
    reset();
    void reloadWheel();
  };
  return (
    <>
      <Wheel
        ref={motionRef}
        name={activeSpinwheel.name}
        slices={activeSpinwheel.sliceList}
        coins={userCoin}
        step={step}
        onPress={pressWheel}
      />
      <div className="grid gap-1 text-center">
        <SpinStatus state={state} step={step} coins={userCoin} />
        <p className="text-sm text-muted">{t('earn', { amount: money.format(coinPer) })}</p>
        <p className="text-sm text-muted">{t('earnNot')}</p>
      </div>
      {dialogs && state.status === 'done' && state.reply.spinResult.hasPrize && (
        <DialogBoundary sectionName="dialog prize" onClose={closeResult}>
          <dialogs.PrizeModal {...state.reply} onClose={closeResult} />
        </DialogBoundary>
      )}
      {dialogs && (state.status === 'failed' || state.status === 'undecided') && (
        <DialogBoundary sectionName="dialog spin" onClose={reset}>
          <dialogs.SpinFailure state={state} onClose={reset} onRetry={spin} />
        </DialogBoundary>
      )}
    </>
  );
}

/** Status text below the wheel, in a live region. */
function SpinStatus({ state, step, coins }: { state: SpinState; step: SpinStep; coins: number }) {
  const { t } = useTranslation('spinwheel');
  const isSlow = useDelayed(step === 'sending', TEXT_DELAY_MS);
  const statusText = (): string => {
    if (isSlow) return t('asking');
    if (step === 'spinning') return t('spinning');
    if (state.status === 'done') {
      const { spinResult } = state.reply;
      return spinResult.hasPrize ? t('won', { label: spinResult.label }) : t('nothing');
    }
    return coins > 0 ? t('ready') : t('noCoins');
  };
  return (
    <p role="status" className="min-h-14 content-end font-semibold">
      {statusText()}
    </p>
  );
}
