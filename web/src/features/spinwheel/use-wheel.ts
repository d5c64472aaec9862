import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import type * as wheelDialogs from './wheel-dialogs.tsx';

/** The wheel and the member's coins. Operator texts are in the current language. */
export function useWheel(isOpen: boolean) {
  const { language } = useTranslation().i18n;
  const asked = apiQuery('GET /api/spinwheel/setup', { quiet: true });
  const query = useQuery({
    queryKey: [...asked.queryKey, language],
    ...(asked.queryFn && { queryFn: asked.queryFn }),
    placeholderData: keepPreviousData,
    enabled: isOpen,
  });
  const { data, refetch } = query;
  const wheel = data?.result;
  const slicesOf = useCallback(
    async (version: number): Promise<readonly Slice[]> => {
      const known = wheel?.activeSpinwheel.version === version ? wheel : (await refetch()).data?.result;
      return known?.activeSpinwheel.version === version ? known.activeSpinwheel.sliceList : [];
    },
    [wheel, refetch],
  );
  return { query, wheel, slicesOf };
}

export type WheelReply = Reply<'GET /api/spinwheel/setup'>['result'];
export type Slice = WheelReply['activeSpinwheel']['sliceList'][number];
export type SpinResult = NonNullable<Reply<'POST /api/spinwheel/spin'>['result']>;
export type Coupon = Reply<'GET /api/spinwheel/coupon'>['coupons'][number];
export type Claimed = NonNullable<Reply<'POST /api/spinwheel/coupon/claim'>['result']>;
/** The lazily loaded dialogs of the page. */
export type WheelDialogs = typeof wheelDialogs;
