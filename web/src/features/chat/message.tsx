import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../../format/date.ts';
import { CheckIcon, WarningIcon } from '../../ui/core/icons.tsx';
import type { Conversation } from './conversation.ts';
import type { Outgoing, Outbox } from './outbox.ts';
import { type DisplayMessage, LinkedText, type MessageViewProps } from './message-text.tsx';
import { MessageButtons, QuickReplies, MessageCards } from './message-actions.tsx';
import { MessageMedia } from './message-media.tsx';
import { Spinner } from '../../ui/core/loader.tsx';

type MessageRowProps = {
  message: DisplayMessage;
  /** First of several messages by one sender. */
  isFirst: boolean;
  withTime: boolean;
  /** Far from the newest: layout only when visible. */
  isFar: boolean;
  conversation: Conversation;
};

/** A message on its side, with its time or delivery. */
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

/** The list re-renders with each message; most rows are unchanged. */
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

/** Delivery of an own message, with actions after a failure. */
function OutgoingWords({ one, outgoing }: { one: Outgoing; outgoing: Outbox }) {
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

/** Content of a message by its type. External content is only used as text or as a URL. */
export function MessageView({ message: { message, sender, isLast, outgoing }, onAct, renew }: MessageViewProps) {
  const isOwn = sender === 'customer';
  const { message_type: type, payload } = message;
  switch (type) {
    case 'text':
      return (
        <Bubble isOwn={isOwn}>
          <LinkedText text={payload.text} />
        </Bubble>
      );
    case 'postback':
      return (
        <Bubble isOwn={isOwn}>
          <LinkedText text={payload.title} />
        </Bubble>
      );
    case 'buttons':
      return (
        <Bubble isOwn={isOwn}>
          <LinkedText text={payload.text} />
          <MessageButtons buttons={payload.buttons} onAct={onAct} />
        </Bubble>
      );
    case 'quick_replies':
      return (
        <>
          <Bubble isOwn={isOwn}>
            <LinkedText text={payload.text} />
          </Bubble>
          {isLast && <QuickReplies replies={payload.quick_replies} onAct={onAct} />}
        </>
      );
    case 'media':
      return (
        <Bubble isOwn={isOwn} isTight>
          <MessageMedia media={payload} progress={<MediaProgress outgoing={outgoing} />} renew={renew} />
        </Bubble>
      );
    case 'generic':
      return <MessageCards cards={payload.elements} onAct={onAct} />;
    case 'unknown':
    default:
      return <NotShown isOwn={isOwn} />;
  }
}

type BubbleProps = {
  isOwn: boolean;
  /** Less padding, for images. */
  isTight?: boolean;
  children: ReactNode;
};

/** Bubble of a message; its corner points at the sender. */
function Bubble({ isOwn, isTight = false, children }: BubbleProps) {
  return (
    <div
      className={`grid max-w-[85%] gap-3 rounded-lg shadow-low ${isTight ? 'p-1.5' : 'px-3.5 py-2'} ${isOwn ? 'rounded-br-sm bg-lacquer-deep' : 'rounded-bl-sm bg-raised'}`}
    >
      {children}
    </div>
  );
}

/** A message type that this app can't display. */
function NotShown({ isOwn }: { isOwn: boolean }) {
  const { t } = useTranslation('chat');
  return (
    <Bubble isOwn={isOwn}>
      <p className="text-sm text-muted italic">{t('media.notShown')}</p>
    </Bubble>
  );
}

/** Upload progress over a file; nothing after failure or completion. */
export function MediaProgress({ outgoing }: { outgoing: Outgoing | undefined }) {
  const { t } = useTranslation('chat');
  if (outgoing?.state !== 'uploading_file' && outgoing?.state !== 'sending') return null;
  const { progress } = outgoing;
  const percent = Math.floor(progress * 100);
  return (
    <div className="pointer-events-none absolute inset-0 flex items-center justify-center bg-well/65">
      <Spinner className="size-8 text-gold-lit" />
      <div
        role="progressbar"
        aria-label={t('attach.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="absolute inset-x-3 bottom-3 h-1.5 overflow-hidden rounded-full bg-well ring-1 ring-line"
      >
        <div className="h-full origin-left bg-gold transition-transform" style={{ transform: `scaleX(${progress})` }} />
      </div>
    </div>
  );
}
