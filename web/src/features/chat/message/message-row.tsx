import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../../../format/date.ts';
import { CheckIcon, WarningIcon } from '../../../ui/icons/shell-icons.tsx';
import type { Conversation } from '../conversation/conversation.ts';
import { MessageView } from './message-view.tsx';
import type { Outgoing, OutgoingStore } from '../conversation/outgoing.ts';
import type { ShownMessage } from './shown-message.ts';

type MessageRowProps = {
  message: ShownMessage;
  /** The first of several of one sender. */
  isFirst: boolean;
  withTime: boolean;
  /** So far from the newest that it need not be laid out while it is out of sight. */
  isFar: boolean;
  conversation: Conversation;
};

/** A message on its side, with its time or how far it has come. */
export const MessageRow = memo(function MessageRow({
  message,
  isFirst,
  withTime,
  isFar,
  conversation,
}: MessageRowProps) {
  const { t } = useTranslation('chat');
  const { outgoing } = conversation;
  const isOwn = message.sender === 'customer';
  return (
    <div
      data-key={message.key}
      className={`flex flex-col [contain-intrinsic-size:auto_4rem] ${isFar ? '[content-visibility:auto]' : ''} ${isOwn ? 'items-end' : 'items-start'} ${isFirst ? 'pt-3' : 'pt-1'}`}
    >
      <span className="sr-only">{isOwn ? t('you') : t('support')}</span>
      <MessageView message={message} onAct={outgoing.send} renew={() => conversation.renew(message.key)} />
      {message.outgoing ? (
        <OutgoingWords one={message.outgoing} outgoing={outgoing} />
      ) : (
        withTime && (
          <p className="flex items-center gap-1 px-1 text-xs text-faint">
            <time dateTime={message.createdAt} className="amount">
              {formatTime(message.createdAt)}
            </time>
            {isOwn && (
              <>
                <CheckIcon className="size-3.5 text-jade" />
                <span className="sr-only">{t('state.succeed')}</span>
              </>
            )}
          </p>
        )
      )}
    </div>
  );
}, isSame);

/** The list is rebuilt with each message; what a row shows seldom changes. */
function isSame(before: MessageRowProps, now: MessageRowProps): boolean {
  const [one, other] = [before.message, now.message];
  return (
    before.isFirst === now.isFirst &&
    before.withTime === now.withTime &&
    before.isFar === now.isFar &&
    before.conversation === now.conversation &&
    one.message === other.message &&
    one.outgoing === other.outgoing &&
    one.isLast === other.isLast &&
    one.createdAt === other.createdAt
  );
}

const pressClass =
  'inline-flex min-h-11 items-center px-2 font-semibold text-gold-lit underline-offset-4 hover:underline';

/** The state of an own message, and what can be done when it failed. */
function OutgoingWords({ one, outgoing }: { one: Outgoing; outgoing: OutgoingStore }) {
  const { t } = useTranslation('chat');
  if (one.state !== 'failed')
    return (
      <p className="amount flex items-center px-1 text-xs text-faint">
        {t(`state.${one.state}`, { percent: Math.floor(one.progress * 100) })}
        {one.state === 'uploading_file' && (
          <button type="button" className={pressClass} onClick={() => outgoing.remove(one.clientId)}>
            {t('attach.cancel')}
          </button>
        )}
      </p>
    );
  return (
    <p className="flex items-center text-xs text-coral">
      <WarningIcon className="mr-1 size-4" />
      <span>{t('state.failed')}</span>
      <button type="button" className={pressClass} onClick={() => outgoing.retry(one.clientId)}>
        {t('resend')}
      </button>
      <button type="button" className={pressClass} onClick={() => outgoing.remove(one.clientId)}>
        {t('remove')}
      </button>
    </p>
  );
}
