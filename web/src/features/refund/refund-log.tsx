import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { usePaged } from '../../api/use-paged.ts';
import { formatDateTime } from '../../format/date.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { PagedSection } from '../../ui/paged-section.tsx';

const ROW = 'flex items-center justify-between gap-3 border-b border-line py-2.5 last:border-b-0';

/** What has been received before, ten a page. */
export function RefundLog() {
  const { t } = useTranslation('refund');
  const { currency } = useMoney();
  const list = usePaged('POST /api/refund', { quiet: true });
  return (
    <PagedSection
      title={t('log')}
      empty={t('logEmpty')}
      list={list}
      head="block"
      columns={
        <tr className={`${ROW} text-muted`}>
          <th className="font-medium">{t('receivedAt')}</th>
          <th className="font-medium">{t('amount')}</th>
        </tr>
      }
      rows={list.data?.refunds.map(({ createdAt, refundAmount }) => (
        <tr key={createdAt} className={ROW}>
          <td className="text-muted tabular-nums">{formatDateTime(createdAt)}</td>
          <td className="font-semibold text-jade">
            <Amount value={refundAmount} currency={currency} withSign />
          </td>
        </tr>
      ))}
    />
  );
}
