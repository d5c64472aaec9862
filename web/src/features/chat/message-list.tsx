import { CHAT_READ_DEBOUNCE_MS, CHAT_SCROLL_THRESHOLD_PX } from '@krapao/contract/constants';
import {
  useEffect,
  useState,
  useSyncExternalStore,
  type RefObject,
  useEffectEvent,
  useLayoutEffect,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { formatDate, formatDateTime } from '../../format/date.ts';
import { Button } from '../../ui/core/button.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import type { Conversation, ConversationState } from './conversation.ts';
import type { DisplayMessage } from './message-text.tsx';
import { MessageRow } from './message.tsx';

/** Number of newest messages that always have layout, because the scroll anchor needs their real heights. */
const LAID_OUT_MESSAGES = 40;

type MessageListProps = {
  conversation: Conversation;
  displayMessages: readonly DisplayMessage[];
  olderState: ConversationState['olderState'];
  unreadCount: number;
};

/**
 * List of messages, newest at the bottom. With `flex-col-reverse` the scroll position counts from the bottom, so that
 * inserting older messages moves nothing.
 */
export function MessageList({ conversation, displayMessages, olderState, unreadCount }: MessageListProps) {
  const { t } = useTranslation('chat');
  const { list, isAtEnd, newCount, scrollToEnd, onScroll } = useScrollAnchor(
    displayMessages,
    olderState,
    conversation.loadOlder,
  );
  useMarkAsRead(conversation, isAtEnd, unreadCount, displayMessages.at(-1)?.key);
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
        className={`flex grow flex-col-reverse overflow-y-auto overscroll-contain px-3 py-2 [overflow-anchor:none] ${displayMessages.length === 0 ? 'justify-center' : ''}`}
      >
        <div>
          {displayMessages.length === 0 && <EmptyState title={t('empty')} text={t('emptyHint')} />}
          <OlderMessages
            olderState={olderState}
            isEmpty={displayMessages.length === 0}
            onRetry={conversation.loadOlder}
          />
          {displayMessages.map((message, index) => (
            <ListRow
              key={message.key}
              message={message}
              previous={displayMessages[index - 1]}
              next={displayMessages[index + 1]}
              isFar={index < displayMessages.length - LAID_OUT_MESSAGES}
              conversation={conversation}
            />
          ))}
        </div>
      </div>
      <ReplyAnnouncer newest={displayMessages.at(-1)} />
      {!isAtEnd && (
        <button
          type="button"
          aria-label={newCount > 0 ? t('toNew', { number: newCount }) : t('toEnd')}
          onClick={scrollToEnd}
          className="absolute right-3 bottom-3 flex h-11 min-w-11 animate-fade items-center justify-center gap-1 rounded-full bg-raised px-2.5 text-sm font-semibold text-gold-lit shadow-high ring-1 ring-edge/60 hover:bg-line"
        >
          {newCount > 0 && <span className="amount pl-1">{newCount}</span>}
          <ChevronDownIcon />
        </button>
      )}
    </div>
  );
}

type ListRowProps = {
  message: DisplayMessage;
  previous: DisplayMessage | undefined;
  next: DisplayMessage | undefined;
  isFar: boolean;
  conversation: Conversation;
};

/** A message, preceded by a day label if it is the first message of its day. */
function ListRow({ message, previous, next, isFar, conversation }: ListRowProps) {
  const isNewDay = !previous || formatDate(previous.createdAt) !== formatDate(message.createdAt);
  const isContinued = next?.sender === message.sender && minuteOf(next) === minuteOf(message);
  return (
    <>
      {isNewDay && <DayLabel at={message.createdAt} />}
      <MessageRow
        message={message}
        isFirst={isNewDay || previous.sender !== message.sender}
        withTime={!isContinued}
        isFar={isFar}
        conversation={conversation}
      />
    </>
  );
}

/** Minute of a message. Of several messages by one sender in one minute, only the last shows the time. */
const minuteOf = ({ createdAt }: DisplayMessage): string => formatDateTime(createdAt).slice(0, -3);

const DAY_MS = 86_400_000;

function DayLabel({ at }: { at: string }) {
  const { t } = useTranslation('chat');
  const dayText = formatDate(at);
  const now = serverNow();
  const labelText =
    dayText === formatDate(now) ? t('today') : dayText === formatDate(now - DAY_MS) ? t('yesterday') : dayText;
  return <p className="my-3 text-center text-xs text-faint">{labelText}</p>;
}

type OlderMessagesProps = { olderState: ConversationState['olderState']; isEmpty: boolean; onRetry: () => void };

/** Above the oldest loaded message: loads older messages, or marks the start of the conversation. */
function OlderMessages({ olderState, isEmpty, onRetry }: OlderMessagesProps) {
  const { t } = useTranslation(['chat', 'common']);
  if (olderState === 'none') return !isEmpty && <p className="py-2 text-center text-xs text-faint">{t('beginning')}</p>;
  if (olderState === 'failed')
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
      {olderState === 'loading' && (
        <>
          <Spinner className="size-4" />
          {t('older')}
        </>
      )}
    </p>
  );
}

/** Marks messages as read while the page is visible and the list is at its end: after a short delay, or on leaving. */
function useMarkAsRead(
  conversation: Conversation,
  isAtEnd: boolean,
  unreadCount: number,
  newest: string | undefined,
): void {
  const isVisible = useVisible();
  const isDue = isAtEnd && isVisible && unreadCount > 0;
  useEffect(() => {
    if (!isDue) return undefined;
    const timer = setTimeout(conversation.markRead, CHAT_READ_DEBOUNCE_MS);
    addEventListener('pagehide', conversation.markRead);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', conversation.markRead);
    };
  }, [conversation, isDue, unreadCount, newest]);
  const markSeen = useEffectEvent(() => {
    if (isDue) conversation.markRead();
  });
  useEffect(() => () => markSeen(), []);
}

const subscribeVisible = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};
const useVisible = (): boolean => useSyncExternalStore(subscribeVisible, () => document.visibilityState === 'visible');

/**
 * Live region that announces new replies. The list itself is no live region, because it would also announce older
 * messages while they load.
 */
function ReplyAnnouncer({ newest }: { newest: DisplayMessage | undefined }) {
  const { t } = useTranslation('chat');
  const [initialKey] = useState(newest?.key);
  const isNewReply = newest?.sender === 'other' && newest.key !== initialKey;
  return (
    <p aria-live="polite" className="sr-only">
      {isNewReply && `${t('support')}: ${spokenTextOf(newest) || t('something')}`}
    </p>
  );
}

/** Text of a message for screen readers. */
function spokenTextOf({ message: { payload } }: DisplayMessage): string {
  if ('text' in payload) return payload.text;
  if ('message' in payload) return payload.message;
  return '';
}

/** Distance in pixels from the oldest message at which older messages are requested in advance. */
const LOAD_OLDER_WITHIN_PX = 240;

type ScrollAnchor = {
  list: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  /** Number of replies that arrived while the member was scrolled up. */
  newCount: number;
  scrollToEnd: () => void;
  onScroll: () => void;
};

/**
 * Scroll anchor: at the end of the list, new messages push the others up; elsewhere the visible messages stay in place.
 * Messages carry their key as `data-key`.
 */
export function useScrollAnchor(
  displayMessages: readonly DisplayMessage[],
  olderState: ConversationState['olderState'],
  loadOlder: () => void,
): ScrollAnchor {
  const list = useRef<HTMLDivElement>(null);
  /** Key of the newest message when the member scrolled away from the end; undefined at the end. */
  const [lastReadKey, setLastReadKey] = useState<string>();
  /** Key of the newest message at the last update; `anchor` is the topmost visible message at that time. */
  const lastNewestKey = useRef<string>(undefined);
  const anchor = useRef<AnchorMessage>(undefined);
  const newest = displayMessages.at(-1);

  const updateAnchor = (): void => {
    const element = list.current;
    if (!element) return;
    const distanceFromEnd = Math.abs(element.scrollTop);
    anchor.current = topVisibleMessage(element);
    if (distanceFromEnd <= CHAT_SCROLL_THRESHOLD_PX) setLastReadKey(undefined);
    else setLastReadKey((previous) => previous ?? newest?.key);
    const distanceFromStart = element.scrollHeight - element.clientHeight - distanceFromEnd;
    if (olderState === 'some' && distanceFromStart < LOAD_OLDER_WITHIN_PX) loadOlder();
  };
  const updateAnchorEvent = useEffectEvent(updateAnchor);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !newest) return;
    const isOwn = newest.outgoing !== undefined && newest.key !== lastNewestKey.current;
    const distanceBelow = anchor.current && distanceBelowOf(element, anchor.current.key);
    const addedHeight =
      anchor.current && distanceBelow !== undefined ? distanceBelow - anchor.current.distanceBelow : 0;
    if (isOwn) element.scrollTop = 0;
    else if (Math.abs(element.scrollTop) > CHAT_SCROLL_THRESHOLD_PX) element.scrollTop -= addedHeight;
    lastNewestKey.current = newest.key;
    anchor.current = topVisibleMessage(element);
  }, [newest]);
  useEffect(() => updateAnchorEvent(), [displayMessages, olderState]);

  const isAtEnd = lastReadKey === undefined;
  const newCount = isAtEnd ? 0 : countRepliesAfter(displayMessages, lastReadKey);
  const scrollToEnd = (): void => {
    list.current?.scrollTo({ top: 0, behavior: 'smooth' });
    list.current?.focus({ preventScroll: true });
  };
  return { list, isAtEnd, newCount, scrollToEnd, onScroll: updateAnchor };
}

function countRepliesAfter(displayMessages: readonly DisplayMessage[], key: string): number {
  const keyIndex = displayMessages.findLastIndex((message) => message.key === key);
  return displayMessages.slice(keyIndex + 1).filter(({ sender }) => sender === 'other').length;
}

type AnchorMessage = { key: string; distanceBelow: number };

/** Offsets in pixels below the list's upper edge at which to look for a message; a day label may cover the first. */
const ANCHOR_PROBES_PX = [8, 48, 96];

/** The topmost visible message and its distance from the bottom. */
function topVisibleMessage(list: HTMLElement): AnchorMessage | undefined {
  const { left, top, width } = list.getBoundingClientRect();
  for (const offsetPx of ANCHOR_PROBES_PX) {
    const row = document.elementFromPoint(left + width / 2, top + offsetPx)?.closest<HTMLElement>('[data-key]');
    const key = row?.dataset['key'];
    const distanceBelow = key === undefined ? undefined : distanceBelowOf(list, key);
    if (key !== undefined && distanceBelow !== undefined) return { key, distanceBelow };
  }
  return undefined;
}

/** Distance of a message's lower edge from the bottom of the content; undefined if the message was removed. */
function distanceBelowOf(list: HTMLElement, key: string): number | undefined {
  const content = list.firstElementChild;
  const message = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!content || !message) return undefined;
  return content.getBoundingClientRect().bottom - message.getBoundingClientRect().bottom;
}
