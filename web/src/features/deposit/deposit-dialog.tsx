import { depositCandidates } from '@krapao/contract/deposit-advice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { invalidate, apiQuery } from '../../api/query/query.ts';
import { useShownOutcomes } from '../../member/shown-outcomes.ts';
import { useWallet } from '../../member/wallet.ts';
import { prefetch } from '../../routing/router.ts';
import { useSheetAddress } from '../../shared/ask-support.tsx';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';
import { BonusChoiceProvider } from './bonus/bonus-choice.tsx';
import { DepositReceived, useDepositReceived } from './deposit-received.tsx';
import type { PanelProps } from './method-panel.tsx';
import { MethodPanes } from './method-panes.tsx';
import { groupMethods } from './methods.ts';

const OUTCOMES = ['deposit', 'bonus'] as const;
const BONUS_PAGE = '/user/bonus';

/** Warns that an open condition also locks a new deposit; links to the bonus page. */
export function LockedNote({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('deposit');
  const [condition] = useWallet().data?.conditions ?? [];
  if (!condition) return null;
  return (
    <div className="mb-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('locked', { name: condition.name })}</p>
      <Link
        href={BONUS_PAGE}
        onClick={onLeave}
        onPointerEnter={() => prefetch(BONUS_PAGE)}
        onFocus={() => prefetch(BONUS_PAGE)}
        className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
      >
        {t('seeCondition')}
      </Link>
    </div>
  );
}

export type DepositDialogProps = {
  /** Shows the gateway of this QR code first, if the code is unpaid. */
  qrcodeId?: string | undefined;
  onClose: () => void;
  /** Opens the list of uploaded slips. */
  onSlips: () => void;
};

/** The operator's deposit methods; after a deposit, its amount and the new balance. */
export function DepositDialog({ qrcodeId, onClose, onSlips }: DepositDialogProps) {
  const { t } = useTranslation('deposit');
  // Home and the bonus page open it.
  useSheetAddress(`${location.pathname}#deposit`);
  useShownOutcomes(OUTCOMES);
  const [receivedAmount, setReceivedAmount] = useState<number>();
  const [reference, setReference] = useState<string>();
  useDepositReceived((amount, received) => {
    setReceivedAmount(amount);
    setReference(received);
  });
  const [depositNumber, setDepositNumber] = useState(1);
  const depositAgain = (): void => {
    setReceivedAmount(undefined);
    // The outcome of the received deposit, such as a sent slip, is not part of the next one.
    setDepositNumber(depositNumber + 1);
    // The deposit event can precede the paid state of its QR code. Refetching prevents a paid code from being shown
    // again.
    void invalidate('qrcode');
  };
  return (
    <Modal open onClose={onClose} title={t('title')} size="lg">
      {receivedAmount !== undefined && (
        <DepositReceived
          amount={receivedAmount}
          reference={reference}
          onDepositAgain={depositAgain}
          onClose={onClose}
        />
      )}
      {/* Stays mounted while the received deposit is shown, because a slip may still be uploading. */}
      <div hidden={receivedAmount !== undefined}>
        <BonusChoiceProvider key={depositNumber}>
          <MethodPicker qrcodeId={qrcodeId} onClose={onClose} onSlips={onSlips} onArrived={setReceivedAmount} />
        </BonusChoiceProvider>
      </div>
    </Modal>
  );
}

/** Refetch interval of the deposit methods in ms while the dialog is open: an account may be closed. */
const METHODS_REFETCH_MS = 60_000;

type PickerProps = PanelProps & { qrcodeId: string | undefined };

/** Deposit methods for the member's currency, loaded at each opening; shows an empty state if there are none. */
export function MethodPicker(props: PickerProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const { data, isError, refetch } = useQuery({
    ...apiQuery('GET /api/lookup/deposit', { quiet: true }),
    staleTime: 0,
    refetchInterval: METHODS_REFETCH_MS,
  });
  const wallet = useWallet();
  const currency = wallet.data?.profile.currency;
  const groups = data && currency ? groupMethods(data, currency) : undefined;
  const reload = (): void => {
    if (!wallet.data) void wallet.refetch();
    void refetch();
  };
  const reloadButton = (
    <Button variant="quiet" size="sm" onClick={reload}>
      {t('common:retry')}
    </Button>
  );
  // After a failed load, offers a retry instead of an empty list.
  if ((isError && !data) || (wallet.isError && !wallet.data))
    return <div className="grid min-h-40 place-items-center">{reloadButton}</div>;
  if (groups?.length === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} action={reloadButton} />;
  return (
    <MethodPanes
      groups={groups}
      candidates={data && currency ? depositCandidates(data, currency) : []}
      lockedNote={<LockedNote onLeave={props.onClose} />}
      {...props}
    />
  );
}
