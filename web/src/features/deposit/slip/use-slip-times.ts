import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query.ts';

/** How often the hours are asked again while one looks on, in ms: they may begin or end meanwhile. */
const ASK_AGAIN_MS = 60_000;
const HOUR_MINUTES = 60;

/** When slips can be sent and how old and large they may be, as the operator has set it. */
export const useSlipTimes = () =>
  useQuery({ ...apiQuery('GET /api/lookup/slip', { quiet: true }), staleTime: 0, refetchInterval: ASK_AGAIN_MS });

/** The same as sentences; undefined until it is known, or where there is nothing to say. */
export function useSlipWords(): { within: string | undefined; closed: string | undefined } {
  const { t } = useTranslation('deposit');
  const { data } = useSlipTimes();
  if (!data) return { within: undefined, closed: undefined };
  const { expireMinutes, closedFrom, closedTo } = data;
  const time =
    expireMinutes % HOUR_MINUTES === 0
      ? t('hours', { count: expireMinutes / HOUR_MINUTES })
      : t('minutes', { count: expireMinutes });
  return {
    within: t('slipWithin', { time }),
    closed: closedFrom === closedTo ? undefined : t('slipClosed', { from: closedFrom, to: closedTo }),
  };
}
