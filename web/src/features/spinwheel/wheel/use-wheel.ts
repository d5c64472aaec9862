import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query.ts';
import type { Slice } from './wheel-slice.ts';

/** The wheel and the member's coins. The operator's words come in the language shown. */
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
