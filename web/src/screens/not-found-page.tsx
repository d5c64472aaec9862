import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { buttonClass } from '../ui/core/button.tsx';
import { EmptyArt } from '../ui/data/empty-state.tsx';

export function NotFoundPage() {
  const { t } = useTranslation('parts');
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <EmptyArt className="h-40 w-52" />
      <p lang="en" className="-mb-3 text-sm tracking-wide text-gold">
        404 · Page Not Found
      </p>
      <h1 className="text-2xl font-bold">{t('notFound.heading')}</h1>
      <p className="text-muted">{t('notFound.text')}</p>
      <Link href="/" className={buttonClass('gold')}>
        {t('notFound.back')}
      </Link>
    </div>
  );
}
