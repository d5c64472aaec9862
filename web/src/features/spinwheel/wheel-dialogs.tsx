import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';
import { toWire } from '@krapao/contract/money';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { ApiFailure } from '../../api/errors.ts';
import { apiQuery } from '../../api/query/query.ts';
import { formatNumber } from '../../format/number.ts';
import { totalBalance } from '../../member/amounts.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { SafeHtml } from '../../ui/data/safe-html.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Popup } from '../../ui/popup.tsx';
import { type ClaimState, type CouponClaim, useClaim } from './use-claim.ts';
import { usePrizeText, spinErrorText, type SpinState } from './use-spin.ts';
import type { ClaimedPrize, Coupon, Slice, SpinResult } from './use-wheel.ts';

/** Keys of the texts that describe where a claimed prize is credited. */
const TARGET_TEXT_KEYS = {
  MONEY: 'wallet',
  COINS: 'coins',
  BONUS: 'bonus',
  GOODS: 'goods',
  NONE: 'goods',
} as const satisfies Record<PrizeKind, string>;

/** Confirmation and result of a claim. */
export function ClaimDialogs({ claim }: { claim: CouponClaim }) {
  const { t } = useTranslation('spinwheel');
  const { state, confirm, close } = claim;
  if (state.status === 'idle') return null;
  const { prize, condition } = state.input;
  if (state.status === 'asked' && prize.kind === 'GOODS') return <GoodsDialog coupon={state.input} onClose={close} />;
  if (state.status === 'asked' || state.status === 'sending')
    return (
      <Popup
        open
        tone="info"
        title={t('claimTitle')}
        onClose={close}
        message={
          <>
            <p className="font-semibold">{prize.slice.label}</p>
            <PrizeTarget coupon={state.input} />
          </>
        }
        confirm={{
          label: t('claimConfirm'),
          onConfirm: confirm,
          busy: state.status === 'sending' && t('claiming'),
          movesMoney: true,
          leave: t('prizeClose'),
          isEven: true,
        }}
      />
    );
  if (state.status === 'done' && state.reply)
    return (
      <Popup
        open
        tone="success"
        title={t('claimedTitle')}
        onClose={close}
        message={<CreditedPrize claimed={state.reply} isLocked={Boolean(condition)} onLeave={close} />}
      />
    );
  if (state.status === 'done')
    return (
      <Popup
        open
        tone="info"
        title={t('comingTitle')}
        onClose={close}
        message={t(prize.kind === 'BONUS' ? 'coming.bonus' : 'coming.wallet')}
      />
    );
  if (state.status === 'processing') return null;
  return <FailedClaim state={state} onClose={close} />;
}

type FailedClaimProps = { state: Extract<ClaimState, { status: 'failed' | 'undecided' }>; onClose: () => void };

/** Explains a failed claim or one with an unknown outcome. */
function FailedClaim({ state, onClose }: FailedClaimProps) {
  const { t } = useTranslation('spinwheel');
  // Whether an earlier claim may already have credited the prize.
  const isClaimedBefore = state.failure instanceof Error && state.failure.message === 'NO_CLAIMABLE_COUPON';
  const hasNoReply = state.failure instanceof ApiFailure && state.failure.isUnknown;
  return (
    <Popup
      open
      tone={state.status === 'undecided' ? 'info' : 'danger'}
      title={t(state.status === 'undecided' ? 'unknownTitle' : 'claimFailed')}
      onClose={onClose}
      message={
        <>
          <p>{hasNoReply ? t('claimUnknown') : spinErrorText(state.failure)}</p>
          {!isClaimedBefore && (
            <p className="mt-2 text-sm text-muted">
              {t(state.status === 'undecided' ? 'claimOnce' : `notGiven.${TARGET_TEXT_KEYS[state.input.prize.kind]}`)}
            </p>
          )}
          <AskSupport kind="bonus" failure={state.failure} />
        </>
      }
    />
  );
}

/** Where a prize will be credited, and its condition. */
function PrizeTarget({ coupon: { prize, amount, condition } }: { coupon: Coupon }) {
  const { t } = useTranslation('spinwheel');
  const money = useCurrency();
  const prizeText = usePrizeText(money)(prize.kind, amount);
  // A bonus prize is a number of bonuses. Its condition is calculated from their value in money.
  return (
    <>
      <p>
        {condition
          ? t('goesToLocked', { amount: prize.kind === 'BONUS' ? money.format(condition.base) : prizeText })
          : t(`goesTo.${TARGET_TEXT_KEYS[prize.kind]}`, { amount: prizeText })}
      </p>
      {condition && <PrizeCondition condition={condition} />}
    </>
  );
}

/** The condition that starts with a claim. */
function PrizeCondition({ condition }: { condition: NonNullable<Coupon['condition']> }) {
  const { t } = useTranslation('spinwheel');
  const { format } = useCurrency();
  const wallet = useWallet().data;
  const total = wallet && totalBalance(wallet);
  const { base, target, floor, turnoverTarget } = condition;
  return (
    <ul className="mt-3 grid list-disc gap-1 pl-5 text-left text-sm">
      <li className="font-semibold text-amber">
        {t('locks.all', { total: total === undefined ? '-' : format(toWire(total)) })}
      </li>
      {!!wallet?.conditions.length && <li>{t('locks.waits')}</li>}
      <li>{t('locks.target', { base: format(base), target: format(target) })}</li>
      {turnoverTarget !== null && <li>{t('locks.turnover', { turnover: format(turnoverTarget) })}</li>}
      <li>{t('locks.floor', { floor: format(floor) })}</li>
      <li>{t('locks.giveBack')}</li>
    </ul>
  );
}

/** Explains that staff hand over goods, with a link to the contact page. Claims nothing. */
function GoodsDialog({ coupon, onClose }: { coupon: Coupon; onClose: () => void }) {
  const { t } = useTranslation('spinwheel');
  const [, navigate] = useLocation();
  const openContact = (): void => {
    onClose();
    navigate('/user/contact');
  };
  return (
    <Popup
      open
      tone="info"
      title={t('goodsTitle')}
      onClose={onClose}
      message={
        <>
          <p className="font-semibold">{coupon.prize.slice.label}</p>
          <p>{t('goodsHow')}</p>
        </>
      }
      confirm={{ label: t('contact'), onConfirm: openContact, leave: t('goodsLater') }}
    />
  );
}

/** What was credited, and where. */
function CreditedPrize({
  claimed,
  isLocked,
  onLeave,
}: {
  claimed: ClaimedPrize;
  isLocked: boolean;
  onLeave: () => void;
}) {
  const { t } = useTranslation('spinwheel');
  const money = useCurrency();
  const wallet = useWallet().data;
  const amountOf = usePrizeText(money);
  const { kind, label, amount, coin } = claimed;
  return (
    <>
      <p className="text-lg font-bold text-gold-lit">{label}</p>
      <p>{t(`wentTo.${TARGET_TEXT_KEYS[kind]}`, { amount: amountOf(kind, amount) })}</p>
      {kind === 'MONEY' && wallet && (
        <p className="mt-2 text-sm text-muted">{t('walletNow', { amount: money.format(wallet.wallet.amount) })}</p>
      )}
      {kind === 'COINS' && (
        <p className="mt-2 text-sm text-muted">{t('coinsNow', { amount: formatNumber(coin, 0) })}</p>
      )}
      {(kind === 'BONUS' || isLocked) && (
        <Link
          href="/user/bonus"
          onClick={onLeave}
          className="mt-2 inline-flex min-h-11 items-center text-sm font-semibold text-gold-lit underline underline-offset-4"
        >
          {t(kind === 'BONUS' ? 'toBonus' : 'seeCondition')}
        </Link>
      )}
    </>
  );
}

export type PrizeModalProps = { spinResult: SpinResult; slice: Slice | undefined; onClose: () => void };

/** A won prize: its coupon is claimed here, or later from the list below the wheel. */
export function PrizeModal({ spinResult, slice, onClose }: PrizeModalProps) {
  const claim = useClaim();
  const { coupon, isLoading } = useWonCoupon(spinResult);
  const { state } = claim;
  if (state.status !== 'idle' && state.status !== 'sending')
    return <ClaimDialogs claim={{ ...claim, close: onClose }} />;
  return (
    <PrizeView
      spinResult={spinResult}
      slice={slice}
      // A claimed coupon leaves the list before its claim is complete.
      coupon={state.status === 'sending' ? state.input : coupon}
      isLoading={isLoading}
      isSending={state.status === 'sending'}
      onClaim={claim.claimNow}
      onClose={onClose}
    />
  );
}

type PrizeViewProps = PrizeModalProps & {
  coupon: Coupon | undefined;
  isLoading: boolean;
  isSending: boolean;
  onClaim: (coupon: Coupon) => void;
};

/** The prize, what a claim does, and the buttons. Staff hand over goods, so these have no claim. */
function PrizeView({ spinResult, slice, coupon, isLoading, isSending, onClaim, onClose }: PrizeViewProps) {
  const { t } = useTranslation('spinwheel');
  const isGoods = (coupon?.prize.kind ?? slice?.prizeKind) === 'GOODS';
  const hasClaim = !isGoods && (coupon !== undefined || isLoading);
  return (
    <Modal
      open
      onClose={isSending ? undefined : onClose}
      title={t('prizeTitle')}
      footer={
        <>
          {hasClaim && (
            <Button
              variant="primary"
              busy={isSending && t('claiming')}
              disabled={!coupon}
              onClick={() => coupon && onClaim(coupon)}
            >
              {t('claimConfirm')}
            </Button>
          )}
          <Button variant="gold" disabled={isSending} onClick={onClose} data-autofocus>
            {t('prizeClose')}
          </Button>
        </>
      }
    >
      <div className="grid justify-items-center gap-3 py-2 text-center">
        <GiftArt className="leaf h-28 w-36" />
        <p className="text-2xl font-bold text-gold-lit">{spinResult.label}</p>
        {slice?.htmlDescription && <SafeHtml html={slice.htmlDescription} className="text-sm" />}
        {hasClaim && <div>{coupon ? <PrizeTarget coupon={coupon} /> : <Skeleton className="h-6 w-56" />}</div>}
        <p className="text-sm text-muted">{t(isGoods ? 'prizeGoods' : 'prizeWaits')}</p>
      </div>
    </Modal>
  );
}

/** The open coupon of a spin, which has the id of the spin. */
function useWonCoupon({ spinId }: SpinResult): { coupon: Coupon | undefined; isLoading: boolean } {
  const { data, isFetching } = useQuery({ ...apiQuery('GET /api/spinwheel/coupon', { quiet: true }), staleTime: 0 });
  const coupon = data?.coupons.find(({ _id }) => _id === spinId);
  return { coupon, isLoading: !coupon && isFetching };
}

export type SpinFailureProps = {
  state: Extract<SpinState, { status: 'failed' | 'undecided' }>;
  onClose: () => void;
  /** Repeats the same spin. */
  onRetry: () => void;
};

/** A spin that was refused or whose outcome is unknown. */
export function SpinFailure({ state, onClose, onRetry }: SpinFailureProps) {
  const { t } = useTranslation(['spinwheel', 'common']);
  const isUndecided = state.status === 'undecided';
  const hasNoReply = state.failure instanceof ApiFailure && state.failure.isUnknown;
  return (
    <Popup
      open
      tone={isUndecided ? 'info' : 'danger'}
      title={t(isUndecided ? 'unknownTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          <p>{hasNoReply ? t('unknown') : spinErrorText(state.failure)}</p>
          <p className="mt-2 text-sm text-muted">{t(isUndecided ? 'unknownCoin' : 'failureCoin')}</p>
          {isUndecided && <AskSupport kind="bonus" failure={state.failure} />}
        </>
      }
      {...(isUndecided && { confirm: { label: t('askAgain'), onConfirm: onRetry, leave: t('common:close') } })}
    />
  );
}
