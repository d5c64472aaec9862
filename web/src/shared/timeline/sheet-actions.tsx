import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { useOperatorData } from '../../api/operator-data.ts';
import { APP_NAME } from '../../browser/variant.ts';
import { formatDateTime, formatTime } from '../../format/date.ts';
import { formatAmount } from '../../format/number.ts';
import { Button } from '../../ui/core/button.tsx';
import { ShareIcon } from '../../ui/core/icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { askSupport } from '../chat-draft.ts';
import { usePictureSaver } from '../picture-saver.tsx';
import { amountSign, type TimelineItem, shownAmount, useItemTitle, useMoneyTexts } from './money-texts.ts';
import { drawReceipt, type ReceiptTexts } from './receipt.ts';

export type SheetActionsProps = {
  item: TimelineItem;
  onClose: () => void;
  /** Opens the dialog again, after the chat. */
  onReopen: () => void;
};

/** Shares or saves the receipt, or asks support about the item. An open item has a status instead of a receipt. */
export function SheetActions({ item, onClose, onReopen }: SheetActionsProps) {
  const { t } = useTranslation('money');
  const texts = useReceiptTexts(item);
  const saver = usePictureSaver(
    { alt: t('receipt'), hold: t('hold'), downloading: t('downloading'), failed: t('saveFailed') },
    'mt-4 max-w-80',
  );
  const { key, kind, reference, status } = item;
  const give = (prefersSharing: boolean): Promise<void> =>
    saver.give(() => drawReceipt(texts, `receipt-${reference}`), prefersSharing);
  const ask = (): void => {
    onClose();
    askSupport(t('question', { reference }), { key, kind, reference }, onReopen);
  };
  return (
    <>
      {saver.picture}
      <ModalActions direction="column" className="low:flex-row low:*:flex-auto">
        <Button disabled={saver.isBusy} icon={<ShareIcon className="size-5" />} onClick={() => void give(true)}>
          {t(status === 'PROCESSING' ? 'shareStatus' : 'share')}
        </Button>
        <div className="flex gap-2 *:flex-auto">
          <Button variant="quiet" size="sm" disabled={saver.isBusy} onClick={() => void give(false)}>
            {t('save')}
          </Button>
          <Button variant="plain" size="sm" onClick={ask}>
            {t('support')}
          </Button>
        </div>
      </ModalActions>
    </>
  );
}

/** The words of the picture. It has only what the sheet shows: accounts are masked by the server. */
function useReceiptTexts(item: TimelineItem): ReceiptTexts {
  const { t } = useTranslation(['money', 'parts']);
  const { facts, reason } = useMoneyTexts(item);
  const site = useOperatorData('GET /api/lookup/info', true).data?.name || APP_NAME;
  const { status, steps, currency, kind, reference } = item;
  const isOpen = status === 'PROCESSING';
  return {
    site,
    title: isOpen ? t('money:statusAt', { time: formatTime(serverNow()) }) : t('money:receipt'),
    kind: useItemTitle()(item),
    amount: formatAmount(shownAmount(item), { currency, withSign: true, signed: amountSign(item) !== false }),
    status: t(`parts:status.${status}`),
    tone: status,
    rows: [
      ...steps
        .filter(({ isDone }) => isDone)
        .map(({ name, at }) => ({ label: t(`money:step.${name}`), value: at ? formatDateTime(at) : '' })),
      ...facts,
      { label: t(kind === 'deposit' ? 'money:bankReference' : 'money:reference'), value: reference },
    ],
    reason,
    footer: t('money:noProof'),
  };
}
