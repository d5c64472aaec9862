import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isChatShown } from '../../shared/chat-draft.ts';
import { toast } from '../../ui/core/toast.tsx';
import { messageKey, useNotices } from './use-notices.ts';

/**
 * Shows a toast for each new notice of support or security, on every member page. Movements of money have toasts of
 * their own, and an open chat shows its replies.
 */
export function NoticeToasts(): null {
  const { t } = useTranslation('push');
  const { data } = useNotices();
  const lastId = useRef<bigint>(undefined);
  useEffect(() => {
    if (!data) return;
    const newestId = BigInt(data.notices[0]?.id ?? 0);
    const lastSeenId = lastId.current ?? newestId;
    lastId.current = newestId > lastSeenId ? newestId : lastSeenId;
    const added = data.notices.filter(({ id, isRead }) => !isRead && BigInt(id) > lastSeenId).toReversed();
    for (const notice of added) {
      const title = t(`message.${messageKey(notice)}.title`);
      if (notice.kind === 'security') toast.info(`${title}\n${t(`message.${messageKey(notice)}.body`)}`);
      else if (notice.kind === 'support' && !isChatShown()) toast.info(title);
    }
  }, [data, t]);
  return null;
}
