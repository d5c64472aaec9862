import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { warm } from '../../routing/screen.ts';

const BONUS_PAGE = '/user/bonus';

/** Warns that a deposit is also locked while a condition is open; links to the bonus page. */
export function LockedNote({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('deposit');
  const [condition] = useWallet().data?.conditions ?? [];
  if (!condition) return null;
  return (
    <div className="mb-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('locked', { name: condition.name })}</p>
      <Link
        href={BONUS_PAGE}
        onClick={onLeave}
        onPointerEnter={() => warm(BONUS_PAGE)}
        onFocus={() => warm(BONUS_PAGE)}
        className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
      >
        {t('seeCondition')}
      </Link>
    </div>
  );
}
