import type { CustomerMessage, OtherMessage } from '@krapao/contract/endpoints/chat';
import { useTranslation } from 'react-i18next';

type Replies = Extract<OtherMessage, { message_type: 'quick_replies' }>['payload']['quick_replies'];

/** What the other side proposes to answer. Choosing one sends it, and then nothing is left to choose. */
export function QuickReplies({ replies, onAct }: { replies: Replies; onAct: (message: CustomerMessage) => void }) {
  const { t } = useTranslation('chat');
  return (
    <ul aria-label={t('media.quickReplies')} className="mt-2 flex animate-rise flex-wrap gap-2">
      {replies.map(({ title, payload }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a message that was sent doesn't change
        <li key={i} className="max-w-full">
          <button
            type="button"
            dir="auto"
            className="min-h-11 max-w-full rounded-full bg-raised px-4 py-1.5 text-left text-sm font-semibold text-gold-lit ring-1 ring-gold/60 transition-colors ring-inset hover:bg-line"
            onClick={() =>
              onAct(
                payload === ''
                  ? { message_type: 'text', payload: { text: title } }
                  : { message_type: 'postback', payload: { title, payload } },
              )
            }
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}
