import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../format/date.ts';
import { relativeTime } from '../format/relative-time.ts';

const MINUTE_MS = 60_000;

/** "3 hours ago" in the language shown, kept true each minute; the exact time on pointing at it. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const { t } = useTranslation('parts');
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const { unit, count } = relativeTime(Date.parse(at), now);
  return (
    <time dateTime={at} title={formatDateTime(at)} className={className}>
      {unit === 'now' ? t('ago.now') : t(`ago.${unit}`, { count })}
    </time>
  );
}
