import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure, type UnmetRequirement } from '../../../api/failure.ts';
import { refusalText } from '../../../shared/errors/refusal-text.ts';
import { isUndecided, isUnsent } from '../../../api/use-idempotency-key.ts';
import { Button } from '../../../ui/button.tsx';
import { Modal, ModalActions } from '../../../ui/overlay/modal.tsx';
import { ReceivedView } from './received-view.tsx';
import { UnmetList, UnmetNotice, useUnmet } from './unmet.tsx';
import { type Offer, useReceiveBonus } from './use-receive-bonus.ts';

export type ReceiveModalProps = {
  title: string;
  offer: Offer;
  /** There is something to receive: not while it is searched for, nor when there is nothing. */
  canReceive: boolean;
  /** This or another one is in use already: the button only confirms. */
  isActive?: boolean;
  /** Opens the dialog to deposit. */
  onDeposit: () => void;
  onClose: () => void;
  /** What is offered, and what it asks. */
  children: ReactNode;
};

const WANT_DEPOSIT = ['NO_DEPOSIT', 'DEPOSIT_BELOW_MINIMUM', 'DEPOSIT_USED', 'DEPOSIT_PLAYED', 'WITHDRAWN_SINCE'];

/** Whether a deposit is missing. */
const needsDeposit = (unmet: readonly UnmetRequirement[]): boolean =>
  unmet.some(({ detail }) => WANT_DEPOSIT.includes(detail ?? ''));

/** Unmet requirements of a failure. */
const unmetOf = (failure: unknown): readonly UnmetRequirement[] => (failure instanceof ApiFailure ? failure.unmet : []);

const isComing = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isComing;

/** What a failure means for the member. After a try without an answer, a refusal doesn't tell that nothing was received. */
function noteOn(failure: unknown, isOpen: boolean): 'undecided' | 'notReceived' | undefined {
  if (isComing(failure)) return undefined;
  if (!isOpen) return 'notReceived';
  return isUndecided(failure) || isUnsent(failure) ? 'undecided' : undefined;
}

/** Who has read down to the button sees the answer, which stands at the top. */
const bringIntoSight = (element: Element | null): void => element?.scrollIntoView({ block: 'nearest' });

/** An offer with its button, and the outcome in the same place. */
export function ReceiveModal({ title, offer, canReceive, isActive = false, ...props }: ReceiveModalProps) {
  const { onDeposit, onClose, children } = props;
  const { t } = useTranslation('bonus');
  const receive = useReceiveBonus(offer);
  const { data, error, isPending, isOpen, hasIt } = receive;
  const isOver = data !== undefined || isActive || hasIt;
  return (
    <Modal open onClose={isPending ? undefined : onClose} title={title}>
      <div role="status">
        {data && <ReceivedView received={data} />}
        {hasIt && (
          <p ref={bringIntoSight} className="mb-4 rounded-md bg-jade-deep px-4 py-3 text-jade">
            {t('has')}
          </p>
        )}
      </div>
      {!data && (
        <div className="grid gap-4">
          {!hasIt && (
            <ClaimObstacles offer={offer} failure={error} isOpen={isOpen} isOver={isOver} onDeposit={onDeposit} />
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
  const current = useUnmet(offer, !isOver);
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
  /** Its requirements that are still unmet. */
  unmet: readonly UnmetRequirement[];
  /** As of {@link useReceiveBonus}. */
  isOpen: boolean;
  onDeposit: () => void;
};

/** Why nothing came, as far as that is known, and what to do about it. */
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
  /** There is nothing left to press for. */
  isOver: boolean;
};

function Actions({ receive: { isPending, mutate }, canReceive, isOver, onClose }: ActionsProps) {
  const { t } = useTranslation(['bonus', 'common']);
  return (
    <ModalActions>
      {/* One button all along, so that who pressed it keeps their place. */}
      {(canReceive || isOver) && (
        <Button
          variant={isOver ? 'primary' : 'gold'}
          busy={isPending && t('receiving')}
          onClick={isOver ? onClose : () => mutate()}
        >
          {isOver ? t('common:ok') : t('receive')}
        </Button>
      )}
      {!isOver && (
        <Button variant="quiet" disabled={isPending} onClick={onClose}>
          {t('common:close')}
        </Button>
      )}
    </ModalActions>
  );
}
