import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCountdown, relativeTime } from '../format/text.ts';
import { formatDateTime } from '../format/date.ts';

export type CountdownProps = {
  /** End as ISO text. */
  until: string;
  /** Current time in ms; default: the phone's clock. */
  now?: () => number;
  /** Called once, at 00:00. */
  onEnd?: () => void;
  className?: string;
};

const millisecondsLeft = (until: string, now: () => number): number => Math.max(0, Date.parse(until) - now());

/** Remaining time as mm:ss, updated each second from the clock. */
export function Countdown({ until, now = Date.now, onEnd, className = '' }: CountdownProps) {
  const { t } = useTranslation('parts');
  const [seconds, setSeconds] = useState(() => Math.ceil(millisecondsLeft(until, now) / 1000));
  const end = useEffectEvent(() => onEnd?.());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = (): void => {
      const left = millisecondsLeft(until, now);
      setSeconds(Math.ceil(left / 1000));
      if (left === 0) end();
      else timer = setTimeout(tick, left % 1000 || 1000);
    };
    tick();
    return () => clearTimeout(timer);
  }, [until, now]);
  const time = formatCountdown(seconds);
  return (
    <time
      role="timer"
      dateTime={`PT${seconds}S`}
      aria-label={t('timeLeft', { time })}
      className={`amount ${className}`}
    >
      {time}
    </time>
  );
}

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
