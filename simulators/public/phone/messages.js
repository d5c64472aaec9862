import { dayOf, isSameDay, timeOf } from '../when.js';
import { h, icon } from './dom.js';
import { mobileNumber } from './mobile-number.js';
import { call, keep, say, state } from './state.js';
import { copy, toast } from './toast.js';

const BANNER_MS = 9000;
const banner = document.getElementById('banner');
let stream;
let messages = [];
let hideBanner;

const changed = () => dispatchEvent(new Event('phone-changed'));
const onScreen = (name) => location.hash.startsWith(`#/${name}`);

/** Fetches the messages and subscribes to new ones. */
export async function connect() {
  stream?.close();
  const number = state.number;
  let lastRequest = 0;
  const reload = async () => {
    const request = (lastRequest += 1);
    const list = await call('GET', `/phone/messages?to=${encodeURIComponent(number)}`).catch(() => undefined);
    // A later reply may already have been applied.
    if (!list || request !== lastRequest || state.number !== number) return;
    messages = list;
    if (onScreen('messages') || location.hash.length < 3) changed();
  };
  stream = new EventSource(`/phone/stream?to=${encodeURIComponent(number)}`);
  // Also after each reconnection: messages in between are not sent again.
  stream.addEventListener('open', () => void reload());
  stream.addEventListener('message', (event) => {
    void reload();
    if (!onScreen('messages')) announce(JSON.parse(event.data));
  });
}

function announce(message) {
  clearTimeout(hideBanner);
  banner.replaceChildren(card(message));
  banner.classList.add('shown');
  hideBanner = setTimeout(() => banner.classList.remove('shown'), BANNER_MS);
}

const dayTitle = (at) => (isSameDay(at, Date.now()) ? say('today') : dayOf(at, state.language));

function codeButton(message) {
  return h(
    'button',
    { type: 'button', className: 'code', onclick: () => void copy(message.code) },
    h('span', { className: 'digits figures' }, message.code),
    h('span', { className: 'hint' }, icon('copy'), say('tapToCopy')),
  );
}

function card(message) {
  return h(
    'article',
    { className: 'card' },
    h(
      'a',
      { href: '#/messages', className: 'head', onclick: () => banner.classList.remove('shown') },
      h('b', {}, message.from),
      h('time', {}, timeOf(message.at)),
    ),
    h('p', {}, message.text),
    message.code && codeButton(message),
  );
}

/** The newest messages as cards of the home screen. */
export function homeCards() {
  if (!state.number)
    return [
      h(
        'a',
        { href: '#/number', className: 'card ask' },
        h('b', {}, say('enterNumber')),
        h('p', {}, say('numberHint')),
      ),
    ];
  return messages.slice(0, 1).map(card);
}

/** The messages of this phone's number. */
export function messagesScreen() {
  let day = '';
  const list = messages.map((message) => {
    const heading = dayTitle(message.at) === day ? undefined : h('h2', { className: 'day' }, dayTitle(message.at));
    day = dayTitle(message.at);
    return [
      heading,
      h(
        'article',
        { className: 'sms' },
        h('span', { className: 'avatar', 'aria-hidden': 'true' }, message.from.slice(0, 1)),
        h(
          'div',
          { className: 'bubble' },
          h('header', {}, h('b', {}, message.from), h('time', {}, timeOf(message.at))),
          h('p', {}, message.text),
          message.code && codeButton(message),
          message.ref && h('p', { className: 'ref' }, `${say('ref')} ${message.ref}`),
        ),
      ),
    ];
  });
  return h(
    'div',
    { className: 'sheet' },
    h(
      'header',
      { className: 'title' },
      h('a', { href: '#/', className: 'round', 'aria-label': say('back') }, icon('back')),
      h('h1', {}, say('messages')),
    ),
    h(
      'a',
      { href: '#/number', className: 'own' },
      h('span', {}, say('yourNumber')),
      h('b', { className: 'figures' }, state.number),
      h('em', {}, say('change')),
    ),
    messages.length > 0 ? h('section', { className: 'thread' }, list) : empty(),
  );
}

function empty() {
  return h(
    'div',
    { className: 'empty' },
    icon('message'),
    h('h2', {}, say('noMessages')),
    h('p', {}, say('noMessagesHint')),
  );
}

/** Where the phone gets its number. */
export function numberScreen({ title = say('messages'), hint = say('numberHint'), next = '#/messages' } = {}) {
  const input = h('input', {
    type: 'tel',
    inputMode: 'tel',
    autocomplete: 'off',
    value: state.number,
    placeholder: '0812345678',
    maxLength: 32,
    required: true,
    id: 'number',
  });
  const submit = (event) => {
    event.preventDefault();
    const number = mobileNumber(input.value);
    if (!number) {
      toast(say('badNumber'));
      input.focus();
      return;
    }
    state.number = number;
    messages = [];
    keep();
    void connect();
    location.hash = next;
    changed();
  };
  return h(
    'form',
    { className: 'sheet form', onsubmit: submit },
    h(
      'header',
      { className: 'title' },
      h('a', { href: '#/', className: 'round', 'aria-label': say('back') }, icon('back')),
      h('h1', {}, title),
    ),
    h('label', { htmlFor: 'number' }, say('enterNumber')),
    input,
    h('p', { className: 'quiet' }, hint),
    h('button', { className: 'primary' }, say('save')),
  );
}
