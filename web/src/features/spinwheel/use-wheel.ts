import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import type * as wheelDialogs from './wheel-dialogs.tsx';

/** The wheel and the member's coins. Operator texts are in the current language. */
export function useWheel(isOpen: boolean) {
  const { language } = useTranslation().i18n;
  const setupQuery = apiQuery('GET /api/spinwheel/setup', { quiet: true });
  const query = useQuery({
    queryKey: [...setupQuery.queryKey, language],
    ...(setupQuery.queryFn && { queryFn: setupQuery.queryFn }),
    placeholderData: keepPreviousData,
    enabled: isOpen,
  });
  const { data, refetch } = query;
  const wheel = data?.result;
  const slicesOf = useCallback(
    async (version: number): Promise<readonly Slice[]> => {
      const loadedWheel = wheel?.activeSpinwheel.version === version ? wheel : (await refetch()).data?.result;
      return loadedWheel?.activeSpinwheel.version === version ? loadedWheel.activeSpinwheel.sliceList : [];
    },
    [wheel, refetch],
  );
  return { query, wheel, slicesOf };
}

export type WheelReply = Reply<'GET /api/spinwheel/setup'>['result'];
export type Slice = WheelReply['activeSpinwheel']['sliceList'][number];
export type SpinResult = NonNullable<Reply<'POST /api/spinwheel/spin'>['result']>;
export type Coupon = Reply<'GET /api/spinwheel/coupon'>['coupons'][number];
export type ClaimedPrize = NonNullable<Reply<'POST /api/spinwheel/coupon/claim'>['result']>;
/** Module type of the lazily loaded dialogs. */
export type WheelDialogs = typeof wheelDialogs;
