import { toWire } from '@krapao/contract/money';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { ApiFailure } from '../../../api/failure.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { totalOf } from '../../../shared/wallet/total.ts';
import { useWallet } from '../../../shared/wallet/use-wallet.ts';
import { formatNumber } from '../../../format/number.ts';
import { Popup } from '../../../ui/overlay/popup.tsx';
import { usePrizeWords } from './prize-words.ts';
import { spinErrorText } from '../use-spin.ts';
import type { ClaimStep, CouponClaim } from './use-claim.ts';
import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';
import type { Claimed, Coupon } from '../wheel/use-wheel.ts';

/** Where a prize goes when it is claimed; the keys of the words for it. */
const PLACES = {
  MONEY: 'wallet',
  COINS: 'coins',
  BONUS: 'bonus',
  GOODS: 'goods',
  NONE: 'goods',
} as const satisfies Record<PrizeKind, string>;

/** The confirmation before a coupon is claimed, and the outcome. */
export function ClaimDialogs({ claim }: { claim: CouponClaim }) {
  const { t } = useTranslation('spinwheel');
  const { state, confirm, close } = claim;
  if (state.step === 'idle') return null;
  const { prize, condition } = state.coupon;
  if (state.step === 'asked' && prize.kind === 'GOODS') return <GoodsDialog coupon={state.coupon} onClose={close} />;
  if (state.step === 'asked' || state.step === 'sending')
    return (
      <Popup
        open
        tone="info"
        title={t('claimTitle')}
        onClose={close}
        message={
          <>
            <p className="font-semibold">{prize.slice.label}</p>
            <GoesTo coupon={state.coupon} />
          </>
        }
        confirm={{ label: t('claimConfirm'), onConfirm: confirm, busy: state.step === 'sending' && t('claiming') }}
      />
    );
  if (state.step === 'done')
    return (
      <Popup
        open
        tone="success"
        title={t('claimedTitle')}
        onClose={close}
        message={<WentTo claimed={state.claimed} isLocked={Boolean(condition)} onLeave={close} />}
      />
    );
  if (state.step === 'coming')
    return (
      <Popup
        open
        tone="info"
        title={t('comingTitle')}
        onClose={close}
        message={t(prize.kind === 'BONUS' ? 'coming.bonus' : 'coming.wallet')}
      />
    );
  return <FailedClaim state={state} onClose={close} />;
}

type FailedClaimProps = { state: Extract<ClaimStep, { step: 'failed' | 'undecided' }>; onClose: () => void };

/** Why a claim failed, or that its outcome is not known, and what was not given. */
function FailedClaim({ state, onClose }: FailedClaimProps) {
  const { t } = useTranslation('spinwheel');
  // An earlier claim may have given the prize.
  const isClaimedBefore = state.failure instanceof Error && state.failure.message === 'NO_CLAIMABLE_COUPON';
  const isSilence = state.failure instanceof ApiFailure && state.failure.isUnknown;
  return (
    <Popup
      open
      tone={state.step === 'undecided' ? 'info' : 'danger'}
      title={t(state.step === 'undecided' ? 'unknownTitle' : 'claimFailed')}
      onClose={onClose}
      message={
        <>
          <p>{isSilence ? t('claimUnknown') : spinErrorText(state.failure)}</p>
          {!isClaimedBefore && (
            <p className="mt-2 text-sm text-muted">
              {t(state.step === 'undecided' ? 'claimOnce' : `notGiven.${PLACES[state.coupon.prize.kind]}`)}
            </p>
          )}
        </>
      }
    />
  );
}

/** Where a prize goes, and its condition. */
function GoesTo({ coupon: { prize, amount, condition } }: { coupon: Coupon }) {
  const { t } = useTranslation('spinwheel');
  const words = { amount: usePrizeWords(useMoney())(prize.kind, amount) };
  return (
    <>
      <p>{prize.kind === 'MONEY' && condition ? t('goesToLocked', words) : t(`goesTo.${PLACES[prize.kind]}`, words)}</p>
      {condition && <ClaimCondition condition={condition} />}
    </>
  );
}

/** The condition that a claim starts. */
function ClaimCondition({ condition }: { condition: NonNullable<Coupon['condition']> }) {
  const { t } = useTranslation('spinwheel');
  const { text } = useMoney();
  const wallet = useWallet().data;
  const total = wallet && totalOf(wallet);
  const { base, target, floor, turnoverTarget } = condition;
  return (
    <ul className="mt-3 grid list-disc gap-1 pl-5 text-left text-sm">
      <li className="font-semibold text-amber">
        {t('locks.all', { total: total === undefined ? '-' : text(toWire(total)) })}
      </li>
      <li>{t('locks.target', { base: text(base), target: text(target) })}</li>
      {turnoverTarget !== null && <li>{t('locks.turnover', { turnover: text(turnoverTarget) })}</li>}
      <li>{t('locks.floor', { floor: text(floor) })}</li>
      <li>{t('locks.giveBack')}</li>
    </ul>
  );
}

/** Explains that staff hand over goods, with a link to contacts. Claims nothing. */
function GoodsDialog({ coupon, onClose }: { coupon: Coupon; onClose: () => void }) {
  const { t } = useTranslation('spinwheel');
  const [, navigate] = useLocation();
  const toContact = (): void => {
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
      confirm={{ label: t('contact'), onConfirm: toContact, leave: t('goodsLater') }}
    />
  );
}

/** What was given and where it is now. */
function WentTo({ claimed, isLocked, onLeave }: { claimed: Claimed; isLocked: boolean; onLeave: () => void }) {
  const { t } = useTranslation('spinwheel');
  const money = useMoney();
  const wallet = useWallet().data;
  const amountOf = usePrizeWords(money);
  const { kind, label, amount, coin } = claimed;
  return (
    <>
      <p className="text-lg font-bold text-gold-lit">{label}</p>
      <p>{t(`wentTo.${PLACES[kind]}`, { amount: amountOf(kind, amount) })}</p>
      {kind === 'MONEY' && wallet && (
        <p className="mt-2 text-sm text-muted">{t('walletNow', { amount: money.text(wallet.wallet.amount) })}</p>
      )}
      {kind === 'COINS' && (
        <p className="mt-2 text-sm text-muted">{t('coinsNow', { amount: formatNumber(coin, 0) })}</p>
      )}
      {(kind === 'BONUS' || isLocked) && (
        <Link
          href="/user/bonus"
          onClick={onLeave}
          className="mt-2 inline-block py-2 text-sm font-semibold text-gold-lit underline underline-offset-4"
        >
          {t(kind === 'BONUS' ? 'toBonus' : 'seeCondition')}
        </Link>
      )}
    </>
  );
}
