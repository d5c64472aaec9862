import { CHAT_SCROLL_THRESHOLD_PX } from '@krapao/contract/constants';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { ConversationState } from '../conversation/conversation.ts';
import type { ShownMessage } from './shown-message.ts';

/** Older messages are asked for this long before one gets there. */
const AHEAD_PX = 240;

type KeptPlace = {
  list: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  /** Messages of the other side that have come while one was reading above. */
  newCount: number;
  toEnd: () => void;
  onScroll: () => void;
};

/**
 * Where one reads: at the end new messages push the others up; above it they leave everything in its place. Messages carry
 * their key as `data-key`.
 */
export function useKeptPlace(
  shown: readonly ShownMessage[],
  older: ConversationState['older'],
  loadOlder: () => void,
): KeptPlace {
  const list = useRef<HTMLDivElement>(null);
  /** The newest message when one left the end; undefined at the end. */
  const [leftAt, setLeftAt] = useState<string>();
  /** The newest message, and what stood at the top of the window: a message, and how far it was from the bottom of all. */
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

function othersAfter(shown: readonly ShownMessage[], key: string): number {
  const at = shown.findLastIndex((message) => message.key === key);
  return shown.slice(at + 1).filter(({ sender }) => sender === 'other').length;
}

type Held = { key: string; below: number };

/** Where a message is looked for, below the upper edge: there may be a day between two. */
const PLACES_PX = [8, 48, 96];

/** The message at the top of what is in sight. */
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

/** How far the lower edge of a message is from the lower edge of all that is scrolled; undefined when it is gone. */
function belowOf(list: HTMLElement, key: string): number | undefined {
  const content = list.firstElementChild;
  const message = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!content || !message) return undefined;
  return content.getBoundingClientRect().bottom - message.getBoundingClientRect().bottom;
}
