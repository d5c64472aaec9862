import { useTranslation } from 'react-i18next';
import { useLookup } from '../../api/use-lookup.ts';
import { InfoIcon } from '../../ui/icons/shell-icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** Stands in the operator's text for a number that only a certain bonus has. */
const PERCENT = /\{\{\s*percentFail\s*\}\}\s*%?/g;

/** What bonuses have to do with a withdrawal, in the operator's words; in ours while theirs can't be had. */
export function Notice() {
  const { t } = useTranslation('withdraw');
  const { data, failure } = useLookup('GET /api/lookup/notice', true);
  if (!data && !failure) return <Skeleton className="h-24 w-full" />;
  const text = data?.notice.replaceAll(PERCENT, t('percentSet')).trim();
  return (
    <section aria-label={t('conditions')} className="flex items-start gap-3 rounded-md bg-raised px-4 py-3 text-sm">
      <InfoIcon className="mt-0.5 size-5 shrink-0 text-gold" />
      <div className="min-w-0">
        <h3 className="font-semibold text-gold-lit">{t('conditions')}</h3>
        <p className="text-muted">{text || t('noNotice')}</p>
      </div>
    </section>
  );
}
