import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import type { TransferProgress } from '../../shared/transfer/use-transfer.ts';
import { WALLET } from '../../shared/wallet/use-wallet.ts';
import { Button } from '../../ui/button.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { Spinner } from '../../ui/state/spinner.tsx';

export type TransferUnderWayProps = { state: Extract<TransferProgress, { step: 'processing' }>; onClose: () => void };

/** The provider hasn't told yet: where the money is meanwhile, and how one will hear. */
export function TransferUnderWay({ state, onClose }: TransferUnderWayProps) {
  const { t } = useTranslation(['transfer', 'common']);
  const money = useMoney();
  return (
    <div className="grid gap-4">
      <div role="status" className="flex items-start gap-4">
        <span className="flex size-12 shrink-0 items-center justify-center rounded-full bg-amber-deep text-amber ring-1 ring-amber/50">
          <Spinner className="size-6" />
        </span>
        <div className="grid gap-2">
          {/* Of what leaves a game nothing is set aside: it is there until the game has let it go. */}
          <p>
            {t(state.input.from === WALLET ? 'processing' : 'processingOut', {
              amount: money.text(state.input.amount),
            })}
          </p>
          <p className="text-sm text-muted">{t('processingClose')}</p>
          <p className="text-xs text-faint">{t('reference', { reference: state.reference })}</p>
        </div>
      </div>
      <ModalActions>
        <Button variant="quiet" onClick={onClose}>
          {t('common:close')}
        </Button>
      </ModalActions>
    </div>
  );
}
