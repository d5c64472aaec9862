import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Delay in ms before the bar appears; shorter waits show nothing. */
const BAR_DELAY_MS = 200;
/** Delay in ms before a text explains the wait. */
const TEXT_DELAY_MS = 2_000;

/** Progress bar at the top of the page after 200 ms, with a text after two seconds. The page stays usable. */
export function Loader({ pending }: { pending: boolean }) {
  const { t } = useTranslation('common');
  const isShown = useDelayed(pending, BAR_DELAY_MS);
  const isLong = useDelayed(pending, TEXT_DELAY_MS);
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

/** A spinner. Add a text beside it if the wait can exceed two seconds. */
export function Spinner({ className = 'size-5' }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={`shrink-0 animate-turn ${className}`} fill="none" aria-hidden="true">
      <circle cx="12" cy="12" r="9" stroke="currentColor" strokeOpacity=".25" strokeWidth="3" />
      <path d="M12 3a9 9 0 0 1 9 9" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

/** True once `isActive` has been true for this long; false as soon as `isActive` is false. */
export function useDelayed(isActive: boolean, milliseconds: number): boolean {
  const [hasDelayPassed, setDelayPassed] = useState(false);
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setTimeout(() => setDelayPassed(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setDelayPassed(false);
    };
  }, [isActive, milliseconds]);
  return isActive && hasDelayPassed;
}
