import { dayOf, isSameDay, timeOf } from '../when.js';
import { language, made, words, wordsOf } from './desk.js';

/** Draws what was said, the day above each day's first message. */
export function drawTalk(talk, messages, now) {
  let before;
  const items = messages.flatMap((message) => {
    const isNewDay = before === undefined || !isSameDay(before, message.at);
    before = message.at;
    const day = isSameDay(message.at, now) ? words.today : dayOf(message.at, language);
    return isNewDay ? [made('li', 'day', day), bubble(message)] : [bubble(message)];
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
