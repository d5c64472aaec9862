import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { usePaged } from '../../api/use-paged.ts';
import { formatDateTime } from '../../format/date.ts';
import { Amount } from '../../ui/text/amount.tsx';
import { PagedSection } from '../../ui/paged-section.tsx';

/** Name, amount, when: beside each other where there is room, else the time below. */
const ROW =
  'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 border-b border-line py-2.5 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_6rem_10rem]';

/** Who signed up by the member's link, and what each has earned them, ten a page. */
export function InvitedList() {
  const { t } = useTranslation('invite');
  const { currency } = useMoney();
  const list = usePaged('POST /api/invite', { quiet: true });
  return (
    <PagedSection
      title={t('invited')}
      note={
        list.data &&
        list.data.percent > 0 && <p className="text-sm text-gold-lit">{t('rate', { percent: list.data.percent })}</p>
      }
      empty={`${t('nobody')} ${t('nobodyHint')}`}
      list={list}
      head="sr-only sm:not-sr-only sm:block"
      columns={
        <tr className={`${ROW} text-left text-muted`}>
          <th className="font-medium">{t('friend')}</th>
          <th className="font-medium sm:text-right">{t('earned')}</th>
          <th className="font-medium sm:text-right">{t('joined')}</th>
        </tr>
      }
      rows={list.data?.invites.map(({ from, amount, createdAt }) => (
        <tr key={`${createdAt} ${from.name}`} className={ROW}>
          <td className="min-w-0 font-medium">{from.name}</td>
          <td className={`text-right font-semibold ${amount > 0 ? 'text-jade' : 'text-muted'}`}>
            <Amount value={amount} currency={currency} withSign />
          </td>
          <td className="col-span-2 text-muted tabular-nums sm:col-span-1 sm:text-right">
            {formatDateTime(createdAt)}
          </td>
        </tr>
      ))}
    />
  );
}
