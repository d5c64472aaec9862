import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { formatNumber } from '../../format/number.ts';
import { WheelArt } from '../../ui/art/wheel-art.tsx';
import { buttonClass } from '../../ui/button-class.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';

/** While the wheel is closed; the coins that wait for it are shown, and what is below it. */
export function ClosedWheel({ children }: { children: ReactNode }) {
  const { t } = useTranslation('spinwheel');
  const coins = useWallet().data?.profile.coin ?? 0;
  return (
    <div className="mx-auto w-full max-w-2xl">
      <h1 className="mb-4 text-2xl font-bold">{t('title')}</h1>
      <Card>
        <EmptyState
          art={<WheelArt />}
          title={t('closed')}
          text={t('hint')}
          action={
            <>
              {coins > 0 && <Coins count={coins} />}
              <Link href="/user/home" className={buttonClass('quiet', 'sm')}>
                {t('home')}
              </Link>
            </>
          }
        />
      </Card>
      <div className="mt-5">{children}</div>
    </div>
  );
}

function Coins({ count }: { count: number }) {
  const { t } = useTranslation('spinwheel');
  return (
    <dl className="grid w-full max-w-xs gap-1 rounded-md bg-raised px-4 py-3">
      <dt className="text-sm text-muted">{t('coins')}</dt>
      <dd className="amount text-xl font-bold text-gold-lit">{formatNumber(count, 0)}</dd>
      <dd className="text-xs text-muted">{t('kept')}</dd>
    </dl>
  );
}
