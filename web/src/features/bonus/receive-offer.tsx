import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure, type UnmetRequirement, isUndecided, wasNotSent } from '../../api/errors.ts';
import { refusalText } from '../../shared/refusal-text.ts';
import { Button } from '../../ui/core/button.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { withMissing, ConditionProgress } from '../../shared/incentive.tsx';
import { useMoney } from '../../member/money.ts';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { useCommand } from '../../api/query/command.ts';
import { apiQuery } from '../../api/query/query.ts';

export type ReceiveModalProps = {
  title: string;
  offer: Offer;
  /** Whether there is an offer to receive; false while loading and if none was found. */
  canReceive: boolean;
  /** This or another offer is active already: the button only closes. */
  isActive?: boolean;
  /** Opens the deposit dialog. */
  onDeposit: () => void;
  onClose: () => void;
  /** The offer and its terms. */
  children: ReactNode;
};

const WANT_DEPOSIT = ['NO_DEPOSIT', 'DEPOSIT_BELOW_MINIMUM', 'DEPOSIT_USED', 'DEPOSIT_PLAYED', 'WITHDRAWN_SINCE'];

const needsDeposit = (unmet: readonly UnmetRequirement[]): boolean =>
  unmet.some(({ detail }) => WANT_DEPOSIT.includes(detail ?? ''));

const unmetOf = (failure: unknown): readonly UnmetRequirement[] => (failure instanceof ApiFailure ? failure.unmet : []);

const isComing = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isComing;

/**
 * Meaning of a failure for the member. After an attempt without a reply, a refusal does not prove that nothing was
 * received.
 */
function noteOn(failure: unknown, isOpen: boolean): 'undecided' | 'notReceived' | undefined {
  if (isComing(failure)) return undefined;
  if (!isOpen) return 'notReceived';
  return isUndecided(failure) || wasNotSent(failure) ? 'undecided' : undefined;
}

/** The reply appears at the top; the member may have scrolled down to the button. */
const bringIntoSight = (element: Element | null): void => element?.scrollIntoView({ block: 'nearest' });

/** An offer with its button; the outcome replaces the offer. */
export function ReceiveModal({ title, offer, canReceive, isActive = false, ...props }: ReceiveModalProps) {
  const { onDeposit, onClose, children } = props;
  const { t } = useTranslation('bonus');
  const receive = useReceiveBonus(offer);
  const { received, failure, isBusy, isOpen, hasIt } = receive;
  const isOver = received !== undefined || isActive || hasIt;
  return (
    <Modal open onClose={isBusy ? undefined : onClose} title={title}>
      <div role="status">
        {received && <ReceivedView received={received} />}
        {hasIt && (
          <p ref={bringIntoSight} className="mb-4 rounded-md bg-jade-deep px-4 py-3 text-jade">
            {t('has')}
          </p>
        )}
      </div>
      {!received && (
        <div className="grid gap-4">
          {!hasIt && (
            <ClaimObstacles offer={offer} failure={failure} isOpen={isOpen} isOver={isOver} onDeposit={onDeposit} />
          )}
          {children}
        </div>
      )}
      <Actions receive={receive} canReceive={canReceive} isOver={isOver} onClose={onClose} />
    </Modal>
  );
}

type ClaimObstaclesProps = Omit<RefusedProps, 'unmet'> & { offer: Offer; isOver: boolean };

/** Current unmet requirements, before a claim and after its refusal. */
function ClaimObstacles({ offer, failure, isOpen, isOver, onDeposit }: ClaimObstaclesProps) {
  const current = useUnmetRequirements(offer, !isOver);
  const refused = unmetOf(failure);
  const unmet = current ?? refused;
  if (failure && (refused.length === 0 || unmet.length > 0)) {
    return <Refused failure={failure} unmet={refused.length > 0 ? unmet : []} isOpen={isOpen} onDeposit={onDeposit} />;
  }
  if (isOver || unmet.length === 0) return null;
  return <UnmetNotice unmet={unmet}>{needsDeposit(unmet) && <ToDeposit onDeposit={onDeposit} />}</UnmetNotice>;
}

type RefusedProps = {
  failure: unknown;
  /** Requirements that are still unmet. */
  unmet: readonly UnmetRequirement[];
  /** As returned by {@link useReceiveBonus}. */
  isOpen: boolean;
  onDeposit: () => void;
};

/** Reason of the refusal, if known, and the next action. */
function Refused({ failure, unmet, isOpen, onDeposit }: RefusedProps) {
  const { t } = useTranslation('bonus');
  const note = noteOn(failure, isOpen);
  return (
    <div ref={bringIntoSight} role="alert" className="rounded-md bg-coral-deep px-4 py-3">
      {unmet.length > 0 ? (
        <div className="text-coral">
          <UnmetList unmet={unmet} />
        </div>
      ) : (
        <p className="whitespace-pre-line text-coral">{refusalText(failure, 'bonus')}</p>
      )}
      {note && <p className="text-sm">{t(note)}</p>}
      {needsDeposit(unmet) && <ToDeposit onDeposit={onDeposit} />}
    </div>
  );
}

function ToDeposit({ onDeposit }: { onDeposit: () => void }) {
  const { t } = useTranslation('bonus');
  return (
    <Button variant="quiet" size="sm" wide className="mt-3" aria-haspopup="dialog" onClick={onDeposit}>
      {t('toDeposit')}
    </Button>
  );
}

type ActionsProps = Pick<ReceiveModalProps, 'canReceive' | 'onClose'> & {
  receive: ReturnType<typeof useReceiveBonus>;
  /** The button only closes. */
  isOver: boolean;
};

function Actions({ receive: { isBusy, receive }, canReceive, isOver, onClose }: ActionsProps) {
  const { t } = useTranslation(['bonus', 'common']);
  return (
    <ModalActions>
      {/* The same button in all states, so that focus stays. */}
      {(canReceive || isOver) && (
        <Button
          variant={isOver ? 'primary' : 'gold'}
          busy={isBusy && t('receiving')}
          onClick={isOver ? onClose : receive}
        >
          {isOver ? t('common:ok') : t('receive')}
        </Button>
      )}
      {!isOver && (
        <Button variant="quiet" disabled={isBusy} onClick={onClose}>
          {t('common:close')}
        </Button>
      )}
    </ModalActions>
  );
}

/** The received amount, where it is, and its condition for a withdrawal. */
export function ReceivedView({ received: { amount, condition } }: { received: Received }) {
  const { t } = useTranslation('bonus');
  const { currency, text } = useMoney();
  return (
    <div className="grid gap-5">
      <div className="flex animate-rise flex-col items-center gap-1 text-center">
        <GiftArt />
        <p className="text-xl font-bold text-jade">{t('received.title', { amount: text(amount) })}</p>
        <p className="text-muted">{t('received.where')}</p>
      </div>
      {condition ? (
        <section className="grid gap-2 rounded-md bg-raised px-4 py-3">
          <h3 className="font-semibold">{t('received.asks')}</h3>
          <p className="text-sm text-muted">
            {t('received.asksText', { target: text(condition.target), floor: text(condition.floor) })}
          </p>
          <ConditionProgress condition={withMissing(condition)} currency={currency} />
        </section>
      ) : (
        <p className="text-center text-muted">{t('received.asksNothing')}</p>
      )}
    </div>
  );
}

export type Received = Reply<'GET /api/bonus/activate/{code}'>;

/** A receivable offer: a bonus of the list, or the offer of a code. */
export type Offer = { kind: 'bonus' | 'promotion'; code: string };

/** Refusals for a member who has received it already. */
const HAS_IT: readonly string[] = ['BONUS_ALREADY_ACTIVE', 'PROMOTION_RECEIVED'];

/**
 * Receives an offer. Queries of the page are invalidated after every outcome: a lost reply may have been a success.
 * `isOpen`: an attempt had no reply, so a later refusal does not prove that nothing was received. `hasIt`: it was
 * received.
 */
export function useReceiveBonus({ kind, code }: Offer) {
  const [isOpen, setOpen] = useState(false);
  const { state, send, isBusy } = useCommand<Offer, Received>({
    send: (offer) =>
      offer.kind === 'bonus'
        ? call('GET /api/bonus/activate/{code}', { params: { code: offer.code } })
        : call('GET /api/promotion/activate/{code}', { params: { code: offer.code } }),
    invalidates: ['bonus', 'refund', 'wallet', 'statement'],
    onResult: ({ status }) => status === 'undecided' && setOpen(true),
  });
  const failure = 'failure' in state ? state.failure : undefined;
  const hasIt = isOpen && failure instanceof ApiFailure && HAS_IT.includes(failure.message);
  const received = state.status === 'done' ? state.reply : undefined;
  return { received, failure, isBusy, isOpen, hasIt, receive: () => void send({ kind, code }) };
}

/** Polling interval while an offer is open: requirements may change without an event. */
const POLL_MS = 5_000;

/** Unmet requirements of a bonus before a claim; undefined while loading and for a promotion code. */
export function useUnmetRequirements(
  { kind, code }: Offer,
  isWanted: boolean,
): readonly UnmetRequirement[] | undefined {
  const { data } = useQuery({
    ...apiQuery('GET /api/bonus/requirements/{code}', { params: { code }, quiet: true }),
    enabled: isWanted && kind === 'bonus',
    staleTime: 0,
    refetchInterval: POLL_MS,
  });
  return data?.unmet;
}

/** Lists unmet requirements with the text of each refusal. */
export function UnmetList({ unmet }: { unmet: readonly UnmetRequirement[] }) {
  const textOf = ({ code, detail }: UnmetRequirement): string =>
    refusalText(new ApiFailure(code, 409, detail ? { detail } : {}), 'bonus');
  return (
    <ul className="grid list-disc gap-1 pl-5 whitespace-pre-line">
      {unmet.map((one) => (
        <li key={`${one.code} ${one.detail ?? ''}`}>{textOf(one)}</li>
      ))}
    </ul>
  );
}

/** Unmet requirements before a claim. */
export function UnmetNotice({ unmet, children }: { unmet: readonly UnmetRequirement[]; children: ReactNode }) {
  const { t } = useTranslation('bonus');
  return (
    <section className="rounded-md bg-amber-deep px-4 py-3 text-sm text-amber">
      <h3 className="mb-1 font-semibold">{t('unmet')}</h3>
      <UnmetList unmet={unmet} />
      {children}
    </section>
  );
}
