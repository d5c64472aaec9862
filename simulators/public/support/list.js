import { dayOf, isSameDay, timeOf } from '../when.js';
import { language, made, words, wordsOf } from './desk.js';

const MINUTE_MS = 60_000;

/** How long ago, in the largest whole unit. */
export function lasting(ms) {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  if (minutes < 1) return words.under1;
  if (minutes < 60) return words.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? words.hours(hours) : words.days(Math.floor(hours / 24));
}

/** The time of a moment today, the day of another. */
export const shortly = (at, now) => (isSameDay(at, now) ? timeOf(at) : dayOf(at, language));

/** What to call a customer. */
export const nameOf = ({ name, kind }) => name || words[kind];

/** Draws the conversations: waiting customers are marked, unread messages are counted. */
export function drawList(list, conversations, { openId, now, choose }) {
  // Redrawn every other second: keyboard focus is kept.
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
  list.replaceChildren(...conversations.map((conversation) => rowOf(conversation, { openId, now, choose })));
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function rowOf(conversation, { openId, now, choose }) {
  const { id, unread, waitingSince, last, lastAt } = conversation;
  const isOpen = id === openId;
  const row = made('button', `row ${isOpen ? 'current' : ''} ${unread > 0 ? 'unread' : ''}`);
  row.type = 'button';
  row.dataset.id = id;
  if (isOpen) row.setAttribute('aria-current', 'true');
  const when = made('time', '', shortly(lastAt, now));
  when.dateTime = new Date(lastAt).toISOString();
  row.append(made('b', '', nameOf(conversation)), when, made('span', 'said', wordsOf(last)), badge(unread));
  row.append(
    made('span', waitingSince === null ? 'state' : 'state waits', stateOf(conversation, now)),
    made('span', 'kind', words[conversation.kind]),
  );
  row.addEventListener('click', () => void choose(conversation));
  const item = made('li', '');
  item.append(row);
  return item;
}

/** That a conversation is answered, and by whom. */
export const answeredBy = ({ isRobot }) => (isRobot ? words.answeredByRobot : words.answered);

const stateOf = (conversation, now) =>
  conversation.waitingSince === null ? answeredBy(conversation) : words.waits(lasting(now - conversation.waitingSince));

function badge(unread) {
  const mark = made('span', 'badge', String(unread));
  mark.hidden = unread === 0;
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', words.unread(unread));
  return mark;
}
