import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure, type UnmetRequirement, isUndecided, wasNotSent } from '../../api/errors.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
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
  hasOffer: boolean;
  /** Whether this or another offer is already active; the button then only closes. */
  isActive?: boolean;
  /** Opens the deposit dialog. */
  onDeposit: () => void;
  onClose: () => void;
  /** Description and terms of the offer. */
  children: ReactNode;
};

const DEPOSIT_DETAIL_CODES = [
  'NO_DEPOSIT',
  'DEPOSIT_BELOW_MINIMUM',
  'DEPOSIT_USED',
  'DEPOSIT_PLAYED',
  'WITHDRAWN_SINCE',
];

const needsDeposit = (unmet: readonly UnmetRequirement[]): boolean =>
  unmet.some(({ detail }) => DEPOSIT_DETAIL_CODES.includes(detail ?? ''));

const unmetRequirementsOf = (failure: unknown): readonly UnmetRequirement[] =>
  failure instanceof ApiFailure ? failure.unmet : [];

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

/** Modal of an offer with its button; the outcome replaces the offer. */
export function ReceiveModal({ title, offer, hasOffer, isActive = false, ...props }: ReceiveModalProps) {
  const { onDeposit, onClose, children } = props;
  const { t } = useTranslation('bonus');
  const receive = useReceiveBonus(offer);
  const { received, failure, isBusy, hadNoReply, hasReceived } = receive;
  const canOnlyClose = received !== undefined || isActive || hasReceived;
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
              offer={offer}
              failure={failure}
              hadNoReply={hadNoReply}
              canOnlyClose={canOnlyClose}
              onDeposit={onDeposit}
            />
          )}
          {children}
        </div>
      )}
      <OfferActions receive={receive} hasOffer={hasOffer} canOnlyClose={canOnlyClose} onClose={onClose} />
    </Modal>
  );
}

type ClaimObstaclesProps = Omit<RefusalProps, 'unmet'> & { offer: Offer; canOnlyClose: boolean };

/** Unmet requirements: before a claim, and after the server has refused the claim. */
function ClaimObstacles({ offer, failure, hadNoReply, canOnlyClose, onDeposit }: ClaimObstaclesProps) {
  const currentUnmet = useUnmetRequirements(offer, !canOnlyClose);
  const refusedUnmet = unmetRequirementsOf(failure);
  const unmet = currentUnmet ?? refusedUnmet;
  if (failure && (refusedUnmet.length === 0 || unmet.length > 0)) {
    return (
      <Refusal
        failure={failure}
        unmet={refusedUnmet.length > 0 ? unmet : []}
        hadNoReply={hadNoReply}
        onDeposit={onDeposit}
      />
    );
  }
  if (canOnlyClose || unmet.length === 0) return null;
  return <UnmetNotice unmet={unmet}>{needsDeposit(unmet) && <DepositButton onDeposit={onDeposit} />}</UnmetNotice>;
}

type RefusalProps = {
  failure: unknown;
  /** Requirements that are still unmet. */
  unmet: readonly UnmetRequirement[];
  /** Whether an earlier attempt had no reply; see {@link useReceiveBonus}. */
  hadNoReply: boolean;
  onDeposit: () => void;
};

/** Reason of a refusal, if known, and the next action. */
function Refusal({ failure, unmet, hadNoReply, onDeposit }: RefusalProps) {
  const { t } = useTranslation('bonus');
  const note = failureNoteOf(failure, hadNoReply);
  return (
    <div ref={scrollIntoView} role="alert" className="rounded-md bg-coral-deep px-4 py-3">
      {unmet.length > 0 ? (
        <div className="text-coral">
          <UnmetList unmet={unmet} />
        </div>
      ) : (
        <p className="whitespace-pre-line text-coral">{refusalText(failure, 'bonus')}</p>
      )}
      {note && <p className="text-sm">{t(note)}</p>}
      <AskSupport kind="bonus" failure={failure} className="-mb-2" />
      {needsDeposit(unmet) && <DepositButton onDeposit={onDeposit} />}
    </div>
  );
}

function DepositButton({ onDeposit }: { onDeposit: () => void }) {
  const { t } = useTranslation('bonus');
  return (
    <Button variant="quiet" size="sm" wide className="mt-3" aria-haspopup="dialog" onClick={onDeposit}>
      {t('toDeposit')}
    </Button>
  );
}

type OfferActionsProps = Pick<ReceiveModalProps, 'hasOffer' | 'onClose'> & {
  receive: ReturnType<typeof useReceiveBonus>;
  /** Whether the button only closes the modal. */
  canOnlyClose: boolean;
};

function OfferActions({ receive: { isBusy, receive }, hasOffer, canOnlyClose, onClose }: OfferActionsProps) {
  const { t } = useTranslation(['bonus', 'common']);
  return (
    <ModalActions>
      {/* One button for all states, so that it keeps the focus. */}
      {(hasOffer || canOnlyClose) && (
        <Button
          variant={canOnlyClose ? 'primary' : 'gold'}
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
  const { currency, format } = useMoney();
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

/** List of unmet requirements, each with the text of its refusal. */
export function UnmetList({ unmet }: { unmet: readonly UnmetRequirement[] }) {
  const textOf = ({ code, detail }: UnmetRequirement): string =>
    refusalText(new ApiFailure(code, 409, detail ? { detail } : {}), 'bonus');
  return (
    <ul className="grid list-disc gap-1 pl-5 whitespace-pre-line">
      {unmet.map((requirement) => (
        <li key={`${requirement.code} ${requirement.detail ?? ''}`}>{textOf(requirement)}</li>
      ))}
    </ul>
  );
}

/** Notice of unmet requirements before a claim. */
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
