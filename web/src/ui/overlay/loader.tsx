import { useTranslation } from 'react-i18next';
import { useDelayed } from '../state/use-delayed.ts';

/** A shorter wait shows nothing. */
const DELAY_MS = 200;
/** From here on, waiting needs words. */
const WORDS_AFTER_MS = 2_000;

/**
 * A strand across the top of the page while something is pending: not before 200 ms, and with words after two seconds.
 * The page stays usable below it.
 */
export function Loader({ pending }: { pending: boolean }) {
  const { t } = useTranslation('common');
  const isShown = useDelayed(pending, DELAY_MS);
  const isLong = useDelayed(pending, WORDS_AFTER_MS);
  if (!isShown) return null;
  return (
    <div className="pointer-events-none fixed inset-x-0 top-0 z-40">
      <progress aria-label={t('loading')} className="sr-only" />
      <div className="h-1 overflow-hidden bg-raised">
        <div className="h-full w-1/3 animate-strand rounded-full bg-gold" />
      </div>
      {isLong && (
        <p className="mx-auto mt-2 w-fit animate-fade rounded-full bg-raised px-4 py-1 text-sm shadow-high ring-1 ring-line">
          {t('loading')}
        </p>
      )}
    </div>
  );
}
