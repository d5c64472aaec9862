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
import { formatDate, formatDateTime } from '../../format/date.ts';
import { serverNow } from '../../api/call.ts';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import type { Conversation, ConversationState } from './conversation.ts';
import { MessageRow } from './message.tsx';
import type { DisplayMessage } from './message-text.tsx';

/** Number of newest messages with layout at any distance: the scroll anchor needs their real heights. */
const NEAR = 40;

type MessageListProps = {
  conversation: Conversation;
  shown: readonly DisplayMessage[];
  older: ConversationState['older'];
  unread: number;
};

/**
 * Messages, newest at the bottom. Scrolling counts from the bottom (`flex-col-reverse`), so messages inserted above
 * move nothing.
 */
export function MessageList({ conversation, shown, older, unread }: MessageListProps) {
  const { t } = useTranslation('chat');
  const { list, isAtEnd, newCount, toEnd, onScroll } = useScrollAnchor(shown, older, conversation.loadOlder);
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
  message: DisplayMessage;
  before: DisplayMessage | undefined;
  after: DisplayMessage | undefined;
  isFar: boolean;
  conversation: Conversation;
};

/** A message, preceded by its day if that differs from the previous one's. */
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

/** Of several messages by one sender in one minute, only the last shows the time. */
const minuteOf = ({ createdAt }: DisplayMessage): string => formatDateTime(createdAt).slice(0, -3);

const DAY_MS = 86_400_000;

function Day({ at }: { at: string }) {
  const { t } = useTranslation('chat');
  const day = formatDate(at);
  const now = serverNow();
  const words = day === formatDate(now) ? t('today') : day === formatDate(now - DAY_MS) ? t('yesterday') : day;
  return <p className="my-3 text-center text-xs text-faint">{words}</p>;
}

type OlderProps = { older: ConversationState['older']; isEmpty: boolean; onRetry: () => void };

/** Above the oldest loaded message: loads more, or marks the start. */
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

/** Marks visible messages as read: the newest one, after a moment on a visible page. */
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

/** Live region for new replies. The list itself is silent: it would also read older messages as they load. */
function News({ newest }: { newest: DisplayMessage | undefined }) {
  const { t } = useTranslation('chat');
  const [first] = useState(newest?.key);
  const isNews = newest?.sender === 'other' && newest.key !== first;
  return (
    <p aria-live="polite" className="sr-only">
      {isNews && `${t('support')}: ${wordsOf(newest) || t('something')}`}
    </p>
  );
}

/** Text of a message for screen readers. */
function wordsOf({ message: { payload } }: DisplayMessage): string {
  if ('text' in payload) return payload.text;
  if ('message' in payload) return payload.message;
  return '';
}

/** Distance at which older messages are requested in advance. */
const AHEAD_PX = 240;

type KeptPlace = {
  list: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  /** Replies that arrived while the member read above. */
  newCount: number;
  toEnd: () => void;
  onScroll: () => void;
};

/**
 * Scroll anchor: at the end new messages push the others up; above it the visible ones stay. Messages carry their key
 * as `data-key`.
 */
export function useScrollAnchor(
  shown: readonly DisplayMessage[],
  older: ConversationState['older'],
  loadOlder: () => void,
): KeptPlace {
  const list = useRef<HTMLDivElement>(null);
  /** The newest message when the member left the end; undefined at the end. */
  const [leftAt, setLeftAt] = useState<string>();
  /** The newest message, and the topmost visible one with its distance from the bottom. */
  const last = useRef<string>(undefined);
  const held = useRef<Held>(undefined);
  const newest = shown.at(-1);

  const look = (): void => {
    const element = list.current;
    if (!element) return;
    const fromEnd = Math.abs(element.scrollTop);
    held.current = atTop(element);
    if (fromEnd <= CHAT_SCROLL_THRESHOLD_PX) setLeftAt(undefined);
    else setLeftAt((before) => before ?? newest?.key);
    const above = element.scrollHeight - element.clientHeight - fromEnd;
    if (older === 'some' && above < AHEAD_PX) loadOlder();
  };
  const lookAgain = useEffectEvent(look);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !newest) return;
    const isOwn = newest.outgoing !== undefined && newest.key !== last.current;
    const below = held.current && belowOf(element, held.current.key);
    const grown = held.current && below !== undefined ? below - held.current.below : 0;
    if (isOwn) element.scrollTop = 0;
    else if (Math.abs(element.scrollTop) > CHAT_SCROLL_THRESHOLD_PX) element.scrollTop -= grown;
    last.current = newest.key;
    held.current = atTop(element);
  }, [newest]);
  useEffect(() => lookAgain(), [shown, older]);

  const isAtEnd = leftAt === undefined;
  const newCount = isAtEnd ? 0 : othersAfter(shown, leftAt);
  const toEnd = (): void => {
    list.current?.scrollTo({ top: 0, behavior: 'smooth' });
    list.current?.focus({ preventScroll: true });
  };
  return { list, isAtEnd, newCount, toEnd, onScroll: look };
}

function othersAfter(shown: readonly DisplayMessage[], key: string): number {
  const at = shown.findLastIndex((message) => message.key === key);
  return shown.slice(at + 1).filter(({ sender }) => sender === 'other').length;
}

type Held = { key: string; below: number };

/** Positions below the upper edge to look for a message; a day label may be between two. */
const PLACES_PX = [8, 48, 96];

/** The topmost visible message. */
function atTop(list: HTMLElement): Held | undefined {
  const { left, top, width } = list.getBoundingClientRect();
  for (const place of PLACES_PX) {
    const row = document.elementFromPoint(left + width / 2, top + place)?.closest<HTMLElement>('[data-key]');
    const key = row?.dataset['key'];
    const below = key === undefined ? undefined : belowOf(list, key);
    if (key !== undefined && below !== undefined) return { key, below };
  }
  return undefined;
}

/** Distance of a message's lower edge from the bottom of the content; undefined if it is gone. */
function belowOf(list: HTMLElement, key: string): number | undefined {
  const content = list.firstElementChild;
  const message = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!content || !message) return undefined;
  return content.getBoundingClientRect().bottom - message.getBoundingClientRect().bottom;
}
