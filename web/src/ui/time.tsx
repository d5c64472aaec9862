import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../format/date.ts';
import { formatCountdown, relativeTime } from '../format/text.ts';

export type CountdownProps = {
  /** End time as ISO text. */
  until: string;
  /** Current time in ms; the device clock by default. */
  now?: () => number;
  /** Called once when the countdown reaches 00:00. */
  onEnd?: () => void;
  className?: string;
};

const millisecondsLeft = (until: string, now: () => number): number => Math.max(0, Date.parse(until) - now());

/** Remaining time as mm:ss, computed from the clock each second. */
export function Countdown({ until, now = Date.now, onEnd, className = '' }: CountdownProps) {
  const { t } = useTranslation('parts');
  const [seconds, setSeconds] = useState(() => Math.ceil(millisecondsLeft(until, now) / 1000));
  const callOnEnd = useEffectEvent(() => onEnd?.());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = (): void => {
      const leftMs = millisecondsLeft(until, now);
      setSeconds(Math.ceil(leftMs / 1000));
      if (leftMs === 0) callOnEnd();
      else timer = setTimeout(tick, leftMs % 1000 || 1000);
    };
    tick();
    return () => clearTimeout(timer);
  }, [until, now]);
  const timeText = formatCountdown(seconds);
  return (
    <time
      role="timer"
      dateTime={`PT${seconds}S`}
      aria-label={t('timeLeft', { time: timeText })}
      className={`amount ${className}`}
    >
      {timeText}
    </time>
  );
}

const MINUTE_MS = 60_000;

export type RelativeTimeProps = {
  at: string;
  /** Current time in ms; the device clock by default. */
  now?: () => number;
  className?: string;
};

/** Relative time such as "3 hours ago", updated each minute, with the exact time as tooltip. */
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
