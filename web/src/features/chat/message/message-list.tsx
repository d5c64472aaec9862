import { CHAT_READ_DEBOUNCE_MS } from '@krapao/contract/constants';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate, formatDateTime } from '../../../format/date.ts';
import { serverNow } from '../../../api/server-clock.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/state/empty-state.tsx';
import { ChevronDownIcon } from '../../../ui/icons/shell-icons.tsx';
import { Spinner } from '../../../ui/state/spinner.tsx';
import type { Conversation, ConversationState } from '../conversation/conversation.ts';
import { MessageRow } from './message-row.tsx';
import type { ShownMessage } from './shown-message.ts';
import { useKeptPlace } from './use-scroll-position.ts';

/** So many of the newest are laid out wherever one reads: one's place is kept by their true heights. */
const NEAR = 40;

type MessageListProps = {
  conversation: Conversation;
  shown: readonly ShownMessage[];
  older: ConversationState['older'];
  unread: number;
};

/**
 * The messages, the newest at the bottom. Its scrolling counts from the bottom (`flex-col-reverse`), so that what is put in
 * above moves nothing.
 */
export function MessageList({ conversation, shown, older, unread }: MessageListProps) {
  const { t } = useTranslation('chat');
  const { list, isAtEnd, newCount, toEnd, onScroll } = useKeptPlace(shown, older, conversation.loadOlder);
  useReading(conversation, isAtEnd, unread, shown.at(-1)?.key);
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div
        ref={list}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-label={t('log')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard
        tabIndex={0}
        className={`flex grow flex-col-reverse overflow-y-auto overscroll-contain px-3 py-2 [overflow-anchor:none] ${shown.length === 0 ? 'justify-center' : ''}`}
      >
        <div>
          {shown.length === 0 && <EmptyState title={t('empty')} text={t('emptyHint')} />}
          <Older older={older} isEmpty={shown.length === 0} onRetry={conversation.loadOlder} />
          {shown.map((message, at) => (
            <Row
              key={message.key}
              message={message}
              before={shown[at - 1]}
              after={shown[at + 1]}
              isFar={at < shown.length - NEAR}
              conversation={conversation}
            />
          ))}
        </div>
      </div>
      <News newest={shown.at(-1)} />
      {!isAtEnd && (
        <button
          type="button"
          aria-label={newCount > 0 ? t('toNew', { number: newCount }) : t('toEnd')}
          onClick={toEnd}
          className="absolute right-3 bottom-3 flex h-11 min-w-11 animate-fade items-center justify-center gap-1 rounded-full bg-raised px-2.5 text-sm font-semibold text-gold-lit shadow-high ring-1 ring-edge/60 hover:bg-line"
        >
          {newCount > 0 && <span className="amount pl-1">{newCount}</span>}
          <ChevronDownIcon />
        </button>
      )}
    </div>
  );
}

type RowProps = {
  message: ShownMessage;
  before: ShownMessage | undefined;
  after: ShownMessage | undefined;
  isFar: boolean;
  conversation: Conversation;
};

/** A message, and above it its day when that is another than of the one before. */
function Row({ message, before, after, isFar, conversation }: RowProps) {
  const isNewDay = !before || formatDate(before.createdAt) !== formatDate(message.createdAt);
  const isGoneOn = after?.sender === message.sender && minuteOf(after) === minuteOf(message);
  return (
    <>
      {isNewDay && <Day at={message.createdAt} />}
      <MessageRow
        message={message}
        isFirst={isNewDay || before.sender !== message.sender}
        withTime={!isGoneOn}
        isFar={isFar}
        conversation={conversation}
      />
    </>
  );
}

/** Of several of one sender in one minute the last one tells the time. */
const minuteOf = ({ createdAt }: ShownMessage): string => formatDateTime(createdAt).slice(0, -3);

const DAY_MS = 86_400_000;

function Day({ at }: { at: string }) {
  const { t } = useTranslation('chat');
  const day = formatDate(at);
  const now = serverNow();
  const words = day === formatDate(now) ? t('today') : day === formatDate(now - DAY_MS) ? t('yesterday') : day;
  return <p className="my-3 text-center text-xs text-faint">{words}</p>;
}

type OlderProps = { older: ConversationState['older']; isEmpty: boolean; onRetry: () => void };

/** What lies above the oldest message that is there. */
function Older({ older, isEmpty, onRetry }: OlderProps) {
  const { t } = useTranslation(['chat', 'common']);
  if (older === 'none') return !isEmpty && <p className="py-2 text-center text-xs text-faint">{t('beginning')}</p>;
  if (older === 'failed')
    return (
      <p className="flex items-center justify-center gap-2 text-sm text-coral">
        {t('olderFailed')}
        <Button variant="plain" size="sm" onClick={onRetry}>
          {t('common:retry')}
        </Button>
      </p>
    );
  return (
    <p className="flex h-11 items-center justify-center gap-2 text-xs text-muted">
      {older === 'loading' && (
        <>
          <Spinner className="size-4" />
          {t('older')}
        </>
      )}
    </p>
  );
}

/** Marks as read what is in sight: the newest, for a moment, on a page that is being looked at. */
function useReading(conversation: Conversation, isAtEnd: boolean, unread: number, newest: string | undefined): void {
  const isVisible = useVisible();
  useEffect(() => {
    if (!isAtEnd || !isVisible || unread === 0) return undefined;
    const timer = setTimeout(conversation.read, CHAT_READ_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [conversation, isAtEnd, isVisible, unread, newest]);
}

const subscribeVisible = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};
const useVisible = (): boolean => useSyncExternalStore(subscribeVisible, () => document.visibilityState === 'visible');

/**
 * Reads out what the other side has just written. The list itself is silent: it would read older messages, too, when they
 * come.
 */
function News({ newest }: { newest: ShownMessage | undefined }) {
  const { t } = useTranslation('chat');
  const [first] = useState(newest?.key);
  const isNews = newest?.sender === 'other' && newest.key !== first;
  return (
    <p aria-live="polite" className="sr-only">
      {isNews && `${t('support')}: ${wordsOf(newest) || t('something')}`}
    </p>
  );
}

/** What can be read out of a message. */
function wordsOf({ message: { payload } }: ShownMessage): string {
  if ('text' in payload) return payload.text;
  if ('message' in payload) return payload.message;
  return '';
}
