import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from 'wouter/use-browser-location';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure, type UnmetRequirement, isUndecided, wasNotSent } from '../../api/errors.ts';
import { useCommand } from '../../api/query/command.ts';
import { apiQuery } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { useShownOutcomes } from '../../member/shown-outcomes.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { useWallet } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { withMissing, ConditionProgress } from '../../shared/incentive.tsx';
import { openMoney } from '../../shared/open-money.ts';
import { detailText, refusalText } from '../../shared/refusal-text.ts';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';

export type ReceiveModalProps = {
  title: string;
  offer: Offer;
  /** Whether there is an offer to receive; false while loading and if none was found. */
  hasOffer: boolean;
  /** Whether this or another offer is already active; the button then only closes. */
  isActive?: boolean;
  /** Opens the deposit dialog. */
  onDeposit: () => void;
  onClose: () => void;
  /** Description and terms of the offer. */
  children: ReactNode;
};

/** What removes an obstacle to a claim, in this order: a deposit is useless while other money is left. */
const remedies = ['withdrawal', 'bets', 'money', 'deposit'] as const;
type Remedy = (typeof remedies)[number];

const REMEDY_BY_DETAIL: Readonly<Record<string, Remedy | undefined>> = {
  WITHDRAW_IN_PROGRESS: 'withdrawal',
  OPEN_BETS: 'bets',
  MONEY_LEFT: 'money',
  NO_DEPOSIT: 'deposit',
  DEPOSIT_BELOW_MINIMUM: 'deposit',
  DEPOSIT_USED: 'deposit',
  DEPOSIT_PLAYED: 'deposit',
  WITHDRAWN_SINCE: 'deposit',
};

/** Refusals after which the sheet can only be closed: none of its actions makes the claim possible. */
const CLOSE_ONLY_CODES: readonly string[] = [
  'BONUS_ALREADY_ACTIVE',
  'BONUS_MAX_CLAIMED',
  'PROMOTION_RECEIVED',
  'BONUS_FULL',
  'NO_PROMOTION',
];

const remedyOf = ({ detail }: UnmetRequirement): Remedy | undefined => REMEDY_BY_DETAIL[detail ?? ''];
const remedyOrder = (unmet: UnmetRequirement): number => {
  const remedy = remedyOf(unmet);
  return remedy ? remedies.indexOf(remedy) : -1;
};

type Obstacles = {
  /** Unmet requirements now, in the order of their remedies. */
  unmet: readonly UnmetRequirement[];
  /** The first action towards the claim. */
  remedy: Remedy | undefined;
  /** Whether the claim can't succeed while the sheet is open. */
  isFinal: boolean;
  /** Whether a claim has failed, and its reasons have not been removed since. */
  isRefusalCurrent: boolean;
};

/** Obstacles to receiving an offer, before a claim and after a refused one. */
function useObstacles(offer: Offer, failure: unknown, isEnabled: boolean): Obstacles {
  const knownUnmet = useUnmetRequirements(offer, isEnabled);
  const { isLoading } = useWithdrawLimits();
  // The action for money that is left depends on the limits; to show it earlier would shift the layout.
  const currentUnmet = isLoading && knownUnmet?.some((one) => remedyOf(one) === 'money') ? undefined : knownUnmet;
  const refusedUnmet = failure instanceof ApiFailure ? failure.unmet : [];
  const unmet = (currentUnmet ?? refusedUnmet).toSorted((one, other) => remedyOrder(one) - remedyOrder(other));
  const isRefusalCurrent = failure !== undefined && (refusedUnmet.length === 0 || unmet.length > 0);
  const isFinalRefusal =
    isRefusalCurrent && failure instanceof ApiFailure && CLOSE_ONLY_CODES.includes(failure.message);
  return {
    unmet,
    remedy: unmet.map(remedyOf).find((remedy) => remedy !== undefined),
    isFinal: isFinalRefusal || unmet.some(({ code }) => CLOSE_ONLY_CODES.includes(code)),
    isRefusalCurrent,
  };
}

const isCreditPending = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isCreditPending;

/**
 * Key of the note on a failure. After an attempt without a reply, a later refusal does not prove that nothing was
 * received.
 */
function failureNoteOf(failure: unknown, hadNoReply: boolean): 'undecided' | 'notReceived' | undefined {
  if (isCreditPending(failure)) return undefined;
  if (!hadNoReply) return 'notReceived';
  return isUndecided(failure) || wasNotSent(failure) ? 'undecided' : undefined;
}

/** Scrolls to the outcome at the top, because the member may have scrolled down to the button. */
const scrollIntoView = (element: Element | null): void => element?.scrollIntoView({ block: 'nearest' });

const BONUS = ['bonus'] as const;

/** Modal of an offer with its button; the outcome replaces the offer. */
export function ReceiveModal({ title, offer, hasOffer, isActive = false, ...props }: ReceiveModalProps) {
  const { onDeposit, onClose, children } = props;
  const { t } = useTranslation('bonus');
  useShownOutcomes(BONUS);
  const receive = useReceiveBonus(offer);
  const { received, failure, isBusy, hadNoReply, hasReceived } = receive;
  const hasActiveOffer = received !== undefined || isActive || hasReceived;
  const obstacles = useObstacles(offer, failure, !hasActiveOffer);
  const canOnlyClose = hasActiveOffer || obstacles.isFinal;
  return (
    <Modal open onClose={isBusy ? undefined : onClose} title={title}>
      <div role="status">
        {received && <ReceivedView received={received} />}
        {hasReceived && (
          <p ref={scrollIntoView} className="mb-4 rounded-md bg-jade-deep px-4 py-3 text-jade">
            {t('has')}
          </p>
        )}
      </div>
      {!received && (
        <div className="grid gap-4">
          {!hasReceived && (
            <ClaimObstacles
              obstacles={obstacles}
              hasActiveOffer={hasActiveOffer}
              failure={failure}
              hadNoReply={hadNoReply}
            >
              {obstacles.remedy && !obstacles.isFinal && (
                <RemedyActions remedy={obstacles.remedy} isDisabled={isBusy} onDeposit={onDeposit} onClose={onClose} />
              )}
            </ClaimObstacles>
          )}
          {children}
        </div>
      )}
      <OfferActions
        receive={receive}
        hasOffer={hasOffer}
        canOnlyClose={canOnlyClose}
        hasRemedy={!canOnlyClose && obstacles.remedy !== undefined}
        onClose={onClose}
      />
    </Modal>
  );
}

type ClaimObstaclesProps = {
  obstacles: Obstacles;
  /** Whether this offer is received, or this or another one is active. */
  hasActiveOffer: boolean;
  failure: unknown;
  /** Whether an earlier attempt had no reply; see {@link useReceiveBonus}. */
  hadNoReply: boolean;
  /** Actions that remove an obstacle. */
  children: ReactNode;
};

/** Unmet requirements: before a claim, and after the server has refused the claim. */
function ClaimObstacles({ obstacles, hasActiveOffer, failure, hadNoReply, children }: ClaimObstaclesProps) {
  const { t } = useTranslation('bonus');
  const { unmet, isRefusalCurrent } = obstacles;
  const note = failureNoteOf(failure, hadNoReply);
  if (isRefusalCurrent)
    return (
      <div ref={scrollIntoView} role="alert" className="rounded-md bg-coral-deep px-4 py-3">
        {unmet.length > 0 ? (
          <UnmetList unmet={unmet} className="text-coral" />
        ) : (
          <p className="whitespace-pre-line text-coral">{refusalText(failure, 'bonus')}</p>
        )}
        {note && <p className="mt-1 text-sm">{t(note)}</p>}
        <AskSupport kind="bonus" failure={failure} className="-mb-2" />
        {children}
      </div>
    );
  if (hasActiveOffer || unmet.length === 0) return null;
  return (
    <section className="rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
      <h3 className="mb-1 font-semibold">{t('unmet')}</h3>
      <UnmetList unmet={unmet} />
      {children}
    </section>
  );
}

type RemedyActionsProps = Pick<ReceiveModalProps, 'onDeposit' | 'onClose'> & {
  remedy: Remedy;
  /** True during a claim: its outcome must be seen. */
  isDisabled: boolean;
};

/** Whether money that is left can be withdrawn; `minimum` is the smallest withdrawal if the money is below it. */
function useWithdrawRemedy(remedy: Remedy): { canWithdraw: boolean; minimum?: string } {
  const { format } = useCurrency();
  const withdrawable = useWallet().data?.withdrawable ?? 0;
  const { data: limits, isError } = useWithdrawLimits();
  if (remedy !== 'money' || withdrawable === 0 || (!limits && !isError)) return { canWithdraw: false };
  const minimum = limits?.withdrawMin ?? 0;
  return withdrawable < minimum ? { canWithdraw: false, minimum: format(minimum) } : { canWithdraw: true };
}

/** The next action towards a claim that would be refused now. */
function RemedyActions({ remedy, isDisabled, onDeposit, onClose }: RemedyActionsProps) {
  const { t } = useTranslation('bonus');
  const pending = useWallet().data?.withdrawal;
  const { canWithdraw, minimum } = useWithdrawRemedy(remedy);
  const leave = (target: string): void => {
    onClose();
    navigate(target);
  };
  return (
    <div className="mt-3 flex flex-wrap gap-2 *:grow">
      {remedy === 'deposit' && (
        <Button variant="gold" size="sm" disabled={isDisabled} aria-haspopup="dialog" onClick={onDeposit}>
          {t('toDeposit')}
        </Button>
      )}
      {remedy === 'withdrawal' && pending && (
        <Button
          variant="gold"
          size="sm"
          disabled={isDisabled}
          aria-haspopup="dialog"
          onClick={() => void openMoney(pending.reference)}
        >
          {t('toWithdrawal')}
        </Button>
      )}
      {minimum && <p className="basis-full">{t('belowMinimum', { amount: minimum })}</p>}
      {canWithdraw && (
        <Button variant="gold" size="sm" disabled={isDisabled} onClick={() => leave('/user/home#withdraw')}>
          {t('toWithdraw')}
        </Button>
      )}
      {(remedy === 'money' || remedy === 'bets') && (
        <Button
          variant={canWithdraw ? 'quiet' : 'gold'}
          size="sm"
          disabled={isDisabled}
          onClick={() => leave('/user/home')}
        >
          {t('toGames')}
        </Button>
      )}
    </div>
  );
}

type OfferActionsProps = Pick<ReceiveModalProps, 'hasOffer' | 'onClose'> & {
  receive: ReturnType<typeof useReceiveBonus>;
  /** Whether the button only closes the modal. */
  canOnlyClose: boolean;
  /** Whether another action comes first. The claim stays possible: it reads the games, stored data may be older. */
  hasRemedy: boolean;
};

function OfferActions({ receive: { isBusy, receive }, hasOffer, canOnlyClose, hasRemedy, onClose }: OfferActionsProps) {
  const { t } = useTranslation(['bonus', 'common']);
  return (
    <ModalActions>
      {/* One button for all states, so that it keeps the focus. */}
      {(hasOffer || canOnlyClose) && (
        <Button
          variant={canOnlyClose ? 'gold' : hasRemedy ? 'quiet' : 'primary'}
          busy={isBusy && t('receiving')}
          onClick={canOnlyClose ? onClose : receive}
        >
          {canOnlyClose ? t('common:ok') : t('receive')}
        </Button>
      )}
      {!canOnlyClose && (
        <Button variant="quiet" disabled={isBusy} onClick={onClose}>
          {t('common:close')}
        </Button>
      )}
    </ModalActions>
  );
}

/** The received amount, its location, and its withdrawal condition. */
export function ReceivedView({ received: { amount, condition } }: { received: ReceivedOffer }) {
  const { t } = useTranslation('bonus');
  const { currency, format } = useCurrency();
  return (
    <div className="grid gap-5">
      <div className="flex animate-rise flex-col items-center gap-1 text-center">
        <GiftArt />
        <p className="text-xl font-bold text-jade">{t('received.title', { amount: format(amount) })}</p>
        <p className="text-muted">{t('received.where')}</p>
      </div>
      {condition ? (
        <section className="grid gap-2 rounded-md bg-raised px-4 py-3">
          <h3 className="font-semibold">{t('received.asks')}</h3>
          <p className="text-sm text-muted">
            {t('received.asksText', { target: format(condition.target), floor: format(condition.floor) })}
          </p>
          <ConditionProgress condition={withMissing(condition)} currency={currency} />
        </section>
      ) : (
        <p className="text-center text-muted">{t('received.asksNothing')}</p>
      )}
    </div>
  );
}

export type ReceivedOffer = Reply<'GET /api/bonus/activate/{code}'>;

/** A receivable offer: a bonus of the list, or the promotion of a code. */
export type Offer = { kind: 'bonus' | 'promotion'; code: string };

/** Codes of refusals because the member has already received the offer. */
const ALREADY_RECEIVED_CODES: readonly string[] = ['BONUS_ALREADY_ACTIVE', 'PROMOTION_RECEIVED'];

/**
 * Receives an offer. Every outcome invalidates the queries of the page, because a request without a reply may have
 * succeeded. `hadNoReply`: an attempt had no reply, so a later refusal does not prove that nothing was received.
 * `hasReceived`: a refusal confirmed that such an attempt succeeded.
 */
export function useReceiveBonus({ kind, code }: Offer) {
  const [hadNoReply, setHadNoReply] = useState(false);
  const { state, send, isBusy } = useCommand<Offer, ReceivedOffer>({
    send: (offer) =>
      offer.kind === 'bonus'
        ? call('GET /api/bonus/activate/{code}', { params: { code: offer.code } })
        : call('GET /api/promotion/activate/{code}', { params: { code: offer.code } }),
    invalidates: ['bonus', 'refund', 'wallet', 'statement'],
    onResult: ({ status }) => status === 'undecided' && setHadNoReply(true),
  });
  const failure = 'failure' in state ? state.failure : undefined;
  const hasReceived = hadNoReply && failure instanceof ApiFailure && ALREADY_RECEIVED_CODES.includes(failure.message);
  const received = state.status === 'done' ? state.reply : undefined;
  return { received, failure, isBusy, hadNoReply, hasReceived, receive: () => void send({ kind, code }) };
}

/** Polling interval in ms while an offer is open: requirements can change without an event. */
const REQUIREMENTS_POLL_MS = 5_000;

/** Limits of withdrawals, which decide whether money that is left can be withdrawn. */
const useWithdrawLimits = () => useQuery(apiQuery('GET /api/lookup/withdraw', { quiet: true }));

/** Unmet requirements of a bonus before a claim; undefined while loading and for a promotion code. */
export function useUnmetRequirements(
  { kind, code }: Offer,
  isEnabled: boolean,
): readonly UnmetRequirement[] | undefined {
  const { data } = useQuery({
    ...apiQuery('GET /api/bonus/requirements/{code}', { params: { code }, quiet: true }),
    enabled: isEnabled && kind === 'bonus',
    staleTime: 0,
    refetchInterval: REQUIREMENTS_POLL_MS,
  });
  return data?.unmet;
}

type UnmetListProps = { unmet: readonly UnmetRequirement[]; className?: string };

/** List of unmet requirements, each with the text of its detail, else of its code. */
function UnmetList({ unmet, className = '' }: UnmetListProps) {
  const textOf = ({ code, detail }: UnmetRequirement): string => {
    const failure = new ApiFailure(code, 409, detail ? { detail } : {});
    return detailText(failure, 'bonus') ?? failureText(failure);
  };
  return (
    <ul className={`grid list-disc gap-1 pl-5 ${className}`}>
      {unmet.map((requirement) => (
        <li key={`${requirement.code} ${requirement.detail ?? ''}`}>{textOf(requirement)}</li>
      ))}
    </ul>
  );
}
