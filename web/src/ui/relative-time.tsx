import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../format/date.ts';
import { relativeTime } from '../format/text.ts';

const MINUTE_MS = 60_000;

export type RelativeTimeProps = {
  at: string;
  /** Current time in ms; default: the phone's clock. */
  now?: () => number;
  className?: string;
};

/** "3 hours ago" in the current language, updated each minute, with the exact time as tooltip. */
export function RelativeTime({ at, now = Date.now, className }: RelativeTimeProps) {
  const { t } = useTranslation('parts');
  const [, setMinute] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setMinute((minute) => minute + 1), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  const { unit, count } = relativeTime(Date.parse(at), now());
  return (
    <time dateTime={at} title={formatDateTime(at)} className={className}>
      {unit === 'now' ? t('ago.now') : t(`ago.${unit}`, { count })}
    </time>
  );
}
