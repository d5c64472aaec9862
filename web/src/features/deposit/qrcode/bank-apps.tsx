import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query/query.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { useWallet } from '../../../member/wallet.ts';
import { BankMark } from '../../../ui/art/bank-mark.tsx';

/** Links of the operator that open bank apps, the member's bank first. Without links nothing is shown. */
export function BankApps() {
  const { t } = useTranslation('deposit');
  const { currency } = useCurrency();
  const own = useWallet().data?.bankAccount?.bankCode;
  const { data } = useQuery({ ...apiQuery('GET /api/lookup/deposit', { quiet: true }), staleTime: Infinity });
  const apps = (data?.apps ?? []).filter((app) => app.currency === null || app.currency === currency);
  if (apps.length === 0) return null;
  const ordered = [...apps.filter(({ code }) => code === own), ...apps.filter(({ code }) => code !== own)];
  return (
    <nav aria-label={t('bankApps')} className="grid w-full gap-1.5">
      <p className="text-sm text-muted">{t('bankApps')}</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {ordered.map(({ code, name, url }) => (
          <li key={`${code} ${url}`}>
            <a
              href={url}
              rel="noreferrer"
              {...(url.startsWith('https:') && { target: '_blank' })}
              className="flex min-h-11 items-center gap-2 rounded-md bg-raised py-1.5 pr-4 pl-2 text-sm font-semibold ring-1 ring-edge/60 ring-inset hover:bg-line"
            >
              <BankMark code={code} className="size-8" />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
