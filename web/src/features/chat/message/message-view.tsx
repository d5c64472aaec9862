import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkedText } from './linked-text.tsx';
import { MessageButtons, QuickReplies } from './message-buttons.tsx';
import { MessageCards } from './message-cards.tsx';
import { MessageMedia } from './message-media.tsx';
import type { MessageViewProps } from './shown-message.ts';
import { Spinner } from '../../../ui/state/spinner.tsx';
import type { Outgoing } from '../conversation/outgoing.ts';

/** What a message says, by its type. Nothing that came from outside is taken for more than text or an address. */
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
  /** A picture comes close to the edge. */
  isTight?: boolean;
  children: ReactNode;
};

/** The bubble of a message; its corner points at the sender. */
function Bubble({ isOwn, isTight = false, children }: BubbleProps) {
  return (
    <div
      className={`grid max-w-[85%] gap-3 rounded-lg shadow-low ${isTight ? 'p-1.5' : 'px-3.5 py-2'} ${isOwn ? 'rounded-br-sm bg-lacquer-deep' : 'rounded-bl-sm bg-raised'}`}
    >
      {children}
    </div>
  );
}

/** Something that this app doesn't know how to show. */
function NotShown({ isOwn }: { isOwn: boolean }) {
  const { t } = useTranslation('chat');
  return (
    <Bubble isOwn={isOwn}>
      <p className="text-sm text-muted italic">{t('media.notShown')}</p>
    </Bubble>
  );
}

/** Over a file that is on its way: how much of it has gone. Nothing once it has failed, or arrived. */
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
