import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { invalidate } from '../../api/query/query.ts';
import { isOutcomeShown } from '../../member/shown-outcomes.ts';
import { isChatShown } from '../../shared/chat-draft.ts';
import { wasListed } from '../../shared/open-items.ts';
import { toast } from '../../ui/core/toast.tsx';
import { messageKey, type Notice, useNotices } from './use-notices.ts';

/** The notices load this long after the page at most, in ms. */
const SINCE_LOAD_MS = 10_000;

/**
 * Shows a toast for each new notice of support or security, and of a refused slip that the strip of open items never
 * listed, on every member page, also if it came while the page was loading. Other movements of money have toasts of
 * their own, and an open chat shows its replies.
 */
export function NoticeToasts(): null {
  const { t } = useTranslation('push');
  const { data } = useNotices();
  const [loadedAt] = useState(() => serverNow() - Math.min(performance.now(), SINCE_LOAD_MS));
  const lastId = useRef<bigint>(undefined);
  useEffect(() => {
    if (!data) return;
    const lastSeenId = lastId.current ?? BigInt(data.notices.find(({ at }) => Date.parse(at) < loadedAt)?.id ?? 0);
    const newestId = BigInt(data.notices[0]?.id ?? 0);
    lastId.current = newestId > lastSeenId ? newestId : lastSeenId;
    const added = data.notices.filter(({ id, isRead }) => !isRead && BigInt(id) > lastSeenId).toReversed();
    // The strip and the lists change with the bell.
    if (added.length > 0) void invalidate('pending', 'statement');
    for (const notice of added) {
      const title = t(`message.${messageKey(notice)}.title`);
      if (notice.kind === 'security') toast.info(`${title}\n${t(`message.${messageKey(notice)}.body`)}`);
      else if (notice.kind === 'support' && !isChatShown()) toast.info(title);
      else if (isUnlistedSlip(notice)) toast.danger(title);
    }
  }, [data, loadedAt, t]);
  return null;
}

const isUnlistedSlip = (notice: Notice): boolean =>
  messageKey(notice) === 'slipRefused' && !wasListed(notice.reference) && !isOutcomeShown('deposit');
