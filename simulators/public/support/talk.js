import { dayOf, isSameDay, timeOf } from '../when.js';
import { language, made, words, wordsOf } from './desk.js';
import { MOVEMENT_WORDS } from './movement-words.js';

const { kinds, statuses, steps: stepWords } = MOVEMENT_WORDS[language];

/** Draws what was said, the day above each day's first message. @param movementOf reads the movement of a reference */
export function drawTalk(talk, messages, now, movementOf) {
  let before;
  const items = messages.flatMap((message) => {
    const isNewDay = before === undefined || !isSameDay(before, message.at);
    before = message.at;
    const day = isSameDay(message.at, now) ? words.today : dayOf(message.at, language);
    const rows = message.reference ? [bubble(message), movementBox(message.reference, movementOf)] : [bubble(message)];
    return isNewDay ? [made('li', 'day', day), ...rows] : rows;
  });
  talk.replaceChildren(...items);
  talk.lastElementChild?.scrollIntoView({ block: 'end' });
}

function bubble({ sender, message, at }) {
  const item = made('li', sender);
  const { payload } = message;
  item.append(made('p', '', wordsOf(message)));
  for (const { title } of [...(payload.buttons ?? []), ...(payload.quick_replies ?? []), ...(payload.elements ?? [])]) {
    item.append(made('span', 'chip', title));
  }
  if (/^https?:/.test(payload.url ?? '')) {
    item.append(fileOf(payload));
  }
  const time = made('time', '', timeOf(at));
  time.dateTime = new Date(at).toISOString();
  item.append(time);
  return item;
}

/** The movement of money that a message is about: its facts and steps, or that it is not the customer's. */
function movementBox(reference, movementOf) {
  const item = made('li', 'movement', `${reference} …`);
  const fill = async () => {
    const { movement } = await movementOf(reference);
    if (movement) item.replaceChildren(...factsOf(movement));
    else item.textContent = `${reference} · ${words.notTheirs}`;
  };
  fill().catch(() => (item.textContent = `${reference} · ${words.movementFailed}`));
  return item;
}

function factsOf({ reference, kind, status, amount, requested, currency, from, to, account, reason, isLate, steps }) {
  const money = `${amount === 0 ? (requested ?? '–') : amount} ${currency}`;
  const facts = [`${from} → ${to}`, account, reason, isLate ? words.late : null].filter(Boolean).join(' · ');
  const list = made('ol', 'steps');
  for (const { name, at, isDone } of steps) {
    const step = made('li', isDone ? 'done' : '', stepWords[name] ?? name);
    if (at) step.append(Object.assign(made('time', '', timeOf(Date.parse(at))), { dateTime: at }));
    list.append(step);
  }
  return [
    made('b', '', `${kinds[kind] ?? kind} ${reference}`),
    made('span', `status ${status.toLowerCase()}`, statuses[status] ?? status),
    made('span', 'money', money),
    made('span', 'facts', facts),
    list,
  ];
}

/** A picture as a thumbnail, a video with its controls, another file as a link. */
function fileOf({ url, fileType }) {
  if (fileType === 'video')
    return Object.assign(made('video', 'thumbnail'), { src: url, controls: true, preload: 'metadata' });
  const link = Object.assign(made('a', ''), { href: url, target: '_blank', rel: 'noopener noreferrer' });
  const name = made('span', '', words.file);
  if (fileType !== 'image') {
    link.append(name);
    return link;
  }
  const picture = Object.assign(made('img', 'thumbnail'), { src: url, alt: words.file });
  // A picture that can't be loaded leaves its link.
  picture.addEventListener('error', () => picture.replaceWith(name));
  picture.addEventListener('load', () => picture.closest('ol')?.lastElementChild?.scrollIntoView({ block: 'end' }));
  link.append(picture);
  return link;
}
