import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { buttonClass } from '../../ui/button-class.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** The bonuses that a member can receive: none at the moment. */
export function BonusPage() {
  const { t } = useTranslation('bonus');
  return (
    <div className="mx-auto w-full max-w-2xl">
      <h1 className="mb-4 text-2xl font-bold">{t('title')}</h1>
      <Card>
        <EmptyState
          art={<GiftArt />}
          title={t('none')}
          text={t('hint')}
          action={
            <Link href="/user/home" className={buttonClass('quiet', 'sm')}>
              {t('home')}
            </Link>
          }
        />
      </Card>
    </div>
  );
}
