import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onMemberEvent } from '../../api/member-events.ts';
import { type EndedWithdrawal, endedWithdrawal } from '../../shared/withdraw/withdraw-outcome.ts';

/** Polling interval of a withdrawal's outcome, besides every event of the member's money. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Follows a withdrawal to its end: by the member's events, and by asking, for an event may come while the line is down.
 * @param reference of the open withdrawal; once seen it is followed, also after it has ended. One of
 * another window is followed until its outcome is known
 */
export function useEnd(reference: string | undefined): EndedWithdrawal | undefined {
  const [followed, setFollowed] = useState(reference);
  if (reference !== undefined && reference !== followed) setFollowed(reference);
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'withdraw' && event.state !== 'PROCESSING') setFollowed(event.reference);
      }),
    [],
  );
  const { data } = useQuery({
    // A word of the statement: every event that changes it asks again.
    queryKey: ['statement', 'withdrawal', followed],
    queryFn: async () => (followed === undefined ? null : ((await endedWithdrawal(followed)) ?? null)),
    enabled: followed !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : LOOK_AGAIN_MS),
  });
  return data ?? undefined;
}
