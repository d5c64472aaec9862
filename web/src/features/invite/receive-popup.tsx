import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { Wallet } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { memberMoneyText } from '../../shared/balance-display.tsx';
import { ConditionTerms } from '../../shared/incentive.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { Popup } from '../../ui/popup.tsx';

export type ReceivePopupProps = {
  invite: Wallet['invite'];
  /** `hasSaved` is true if the bonus was requested, so that the wallet may have changed. */
  onClose: (hasSaved: boolean) => void;
};

/** Confirmation of receiving the referral bonus, which starts conditions; shows the result. */
export function ReceivePopup({ invite: { amount, success, fail }, onClose }: ReceivePopupProps) {
  const { t } = useTranslation('invite');
  const { currency, format } = useCurrency();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const receiveBonus = async (): Promise<void> => {
    setBusy(true);
    try {
      const received = await call('GET /api/invite/bonus', { quiet: true });
      toast.success(t('received', { amount: memberMoneyText(format(received.amount)) }));
      onClose(true);
    } catch (receiveFailure) {
      toast.danger(failureText(receiveFailure));
      setFailure(receiveFailure);
    }
  };
  if (failure !== undefined)
    return (
      <Popup
        open
        tone="danger"
        title={t('receiveTitle', { amount: format(amount) })}
        message={
          <>
            <p>{failureText(failure)}</p>
            <AskSupport kind="bonus" failure={failure} />
          </>
        }
        onClose={() => onClose(true)}
      />
    );
  return (
    <Popup
      open
      tone="info"
      title={t('receiveTitle', { amount: format(amount) })}
      message={
        <div className="grid gap-3">
          <p>{t('receiveText')}</p>
          <ConditionTerms amount={amount} percentSuccess={success} percentFail={fail} currency={currency} />
        </div>
      }
      onClose={() => onClose(false)}
      confirm={{
        label: t('receive'),
        busy: isBusy && t('receiving'),
        onConfirm: () => void receiveBonus(),
        movesMoney: true,
      }}
    />
  );
}
