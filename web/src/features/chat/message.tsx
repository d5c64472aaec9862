import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../../format/date.ts';
import { CheckIcon, WarningIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import type { Conversation } from './conversation.ts';
import { MessageButtons, QuickReplies, MessageCards } from './message-actions.tsx';
import { MessageMedia } from './message-media.tsx';
import { type DisplayMessage, LinkedText, type MessageViewProps } from './message-text.tsx';
import type { OutgoingMessage, Outbox } from './outbox.ts';

type MessageRowProps = {
  message: DisplayMessage;
  /** Whether this is the first of several messages by one sender. */
  isFirst: boolean;
  withTime: boolean;
  /** Whether the message is far from the newest; then it has layout only while visible. */
  isFar: boolean;
  conversation: Conversation;
};

/** A message on its sender's side, with its time or delivery state. */
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
      <MessageView
        message={message}
        onAct={outgoing.send}
        reloadMessage={() => conversation.reloadMessage(message.key)}
      />
      {message.outgoing ? (
        <DeliveryStatus message={message.outgoing} outgoing={outgoing} />
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
}, hasSameRowProps);

/** Whether two messages render the same. The list re-renders with each new message, but most rows are unchanged. */
function hasSameRowProps(previous: MessageRowProps, current: MessageRowProps): boolean {
  const [previousMessage, currentMessage] = [previous.message, current.message];
  return (
    previous.isFirst === current.isFirst &&
    previous.withTime === current.withTime &&
    previous.isFar === current.isFar &&
    previous.conversation === current.conversation &&
    previousMessage.message === currentMessage.message &&
    previousMessage.outgoing === currentMessage.outgoing &&
    previousMessage.isLast === currentMessage.isLast &&
    previousMessage.createdAt === currentMessage.createdAt
  );
}

const pressClass =
  'inline-flex min-h-11 items-center px-2 font-semibold text-gold-lit underline-offset-4 hover:underline';

/** Delivery state of an own message; after a failure also actions. */
function DeliveryStatus({ message, outgoing }: { message: OutgoingMessage; outgoing: Outbox }) {
  const { t } = useTranslation('chat');
  if (message.state !== 'failed')
    return (
      <p className="amount flex items-center px-1 text-xs text-faint">
        {t(`state.${message.state}`, { percent: Math.floor(message.progress * 100) })}
        {message.state === 'uploading_file' && (
          <button type="button" className={pressClass} onClick={() => outgoing.remove(message.clientId)}>
            {t('attach.cancel')}
          </button>
        )}
      </p>
    );
  return (
    <p className="flex items-center text-xs text-coral">
      <WarningIcon className="mr-1 size-4" />
      <span>{t('state.failed')}</span>
      <button type="button" className={pressClass} onClick={() => outgoing.retry(message.clientId)}>
        {t('resend')}
      </button>
      <button type="button" className={pressClass} onClick={() => outgoing.remove(message.clientId)}>
        {t('remove')}
      </button>
    </p>
  );
}

/** Content of a message by its type. External content is used only as text or as a URL. */
export function MessageView({
  message: { message, sender, isLast, outgoing },
  onAct,
  reloadMessage,
}: MessageViewProps) {
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
          <MessageMedia
            media={payload}
            progress={<MediaProgress outgoing={outgoing} />}
            reloadMessage={reloadMessage}
          />
        </Bubble>
      );
    case 'generic':
      return <MessageCards cards={payload.elements} onAct={onAct} />;
    case 'unknown':
    default:
      return <UnsupportedMessage isOwn={isOwn} />;
  }
}

type BubbleProps = {
  isOwn: boolean;
  /** Whether the bubble has less padding, for images. */
  isTight?: boolean;
  children: ReactNode;
};

/** Bubble of a message; one corner points to the sender's side. */
function Bubble({ isOwn, isTight = false, children }: BubbleProps) {
  return (
    <div
      className={`grid max-w-[85%] gap-3 rounded-lg shadow-low ${isTight ? 'p-1.5' : 'px-3.5 py-2'} ${isOwn ? 'night rounded-br-sm bg-lacquer-deep' : 'rounded-bl-sm bg-raised'}`}
    >
      {children}
    </div>
  );
}

/** Placeholder for a message type that this app can't display. */
function UnsupportedMessage({ isOwn }: { isOwn: boolean }) {
  const { t } = useTranslation('chat');
  return (
    <Bubble isOwn={isOwn}>
      <p className="text-sm text-muted italic">{t('media.notShown')}</p>
    </Bubble>
  );
}

/** Upload progress above a file; renders nothing after failure or completion. */
export function MediaProgress({ outgoing }: { outgoing: OutgoingMessage | undefined }) {
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
