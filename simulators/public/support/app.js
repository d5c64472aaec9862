import { languageAsked, markLanguage } from '../language.js';
import { WORDS } from './words.js';

const AGAIN_MS = 2_000;
const TYPING_EVERY_MS = 4_000;

const language = languageAsked();
const words = WORDS[language];
const find = (id) => document.getElementById(id);
const made = (tag, className, text = '') =>
  Object.assign(document.createElement(tag), { className, textContent: text });

let open = null;
let shown = '';
let typedAt = 0;

/** A message of each kind, for trying out what the customer sees of it. */
const SAMPLES = {
  quick_replies: () => ({
    text: words.ask,
    quick_replies: [{ title: words.yes, payload: 'done:yes' }, { title: words.no }],
  }),
  buttons: () => ({
    text: words.ask,
    buttons: [
      { type: 'web', title: words.howto, url: `${location.protocol}//${location.hostname}:3000/howto` },
      { type: 'call', title: words.call, phone: '+66 2 000 0000' },
      { type: 'postback', title: words.done, payload: 'end' },
      { type: 'other', title: words.no },
    ],
  }),
  generic: () => ({
    elements: [1, 2, 3].map((count) => ({
      title: `${words.howto} ${count}`,
      subtitle: words.ask,
      image_url: `${location.origin}/assets/slot/${['deep', 'dice', 'cards'][count - 1]}.svg`,
      buttons: [{ type: 'other', title: words.yes }],
    })),
  }),
  media: () => ({ message: words.howto, url: `${location.origin}/assets/slot/naga.svg`, fileType: 'image' }),
};

const wordsOf = ({ message_type: type, payload }) =>
  payload.text || payload.title || payload.message || (type === 'media' ? words.file : `[${type}]`);

async function call(path, body) {
  const response = await fetch(`/support/conversations${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

function showList(conversations) {
  find('empty').hidden = conversations.length > 0;
  find('list').replaceChildren(
    ...conversations.map((conversation) => {
      const row = made('button', conversation.id === open?.id ? 'row current' : 'row');
      row.type = 'button';
      row.append(
        made('b', '', conversation.name || words.visitor),
        made('span', conversation.sender === 'customer' ? 'waits' : '', wordsOf(conversation.last)),
      );
      row.addEventListener('click', () => void choose(conversation));
      const item = made('li', '');
      item.append(row);
      return item;
    }),
  );
}

function bubble({ sender, message, at }) {
  const item = made('li', sender);
  const { payload } = message;
  item.append(made('p', '', wordsOf(message)));
  for (const { title } of [...(payload.buttons ?? []), ...(payload.quick_replies ?? []), ...(payload.elements ?? [])]) {
    item.append(made('span', 'chip', title));
  }
  if (/^https?:/.test(payload.url ?? '')) {
    const link = made('a', '', words.file);
    Object.assign(link, { href: payload.url, target: '_blank', rel: 'noopener noreferrer' });
    item.append(link);
  }
  item.append(made('time', '', new Date(at).toLocaleTimeString(language === 'la' ? 'lo' : language)));
  return item;
}

async function refresh() {
  showList(await call(''));
  if (!open) return;
  const messages = await call(`/${open.id}`);
  const state = `${open.id} ${messages.length}`;
  if (state === shown) return;
  shown = state;
  find('talk').replaceChildren(...messages.map(bubble));
  find('talk').lastElementChild?.scrollIntoView({ block: 'end' });
}

async function choose(conversation) {
  open = conversation;
  document.body.classList.add('talking');
  find('open').hidden = false;
  find('name').textContent = conversation.name || words.visitor;
  await refresh();
  find('words').focus();
}

async function say(messageType, payload) {
  find('words').setCustomValidity('');
  try {
    await call(`/${open.id}/messages`, { message_type: messageType, payload });
    await refresh();
    return true;
  } catch {
    find('words').setCustomValidity(words.failed);
    find('words').reportValidity();
    return false;
  }
}

async function sendWords() {
  const text = find('words').value.trim();
  if (text !== '' && (await say('text', { text }))) find('words').value = '';
}

function begin() {
  markLanguage(language);
  document.title = words.title;
  find('title').textContent = words.title;
  find('empty').textContent = words.empty;
  find('send').textContent = words.send;
  find('back').setAttribute('aria-label', words.back);
  find('words').placeholder = words.write;
  find('words').setAttribute('aria-label', words.write);
  for (const [kind, payload] of Object.entries(SAMPLES)) {
    const sample = made('button', 'chip', words.samples[kind]);
    sample.type = 'button';
    sample.addEventListener('click', () => void say(kind, payload()));
    find('samples').append(sample);
  }
  find('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void sendWords();
  });
  find('words').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void sendWords();
  });
  find('words').addEventListener('input', () => {
    find('words').setCustomValidity('');
    if (Date.now() - typedAt < TYPING_EVERY_MS) return;
    typedAt = Date.now();
    call(`/${open.id}/typing`, {}).catch(() => undefined);
  });
  find('back').addEventListener('click', () => {
    open = null;
    shown = '';
    document.body.classList.remove('talking');
    find('open').hidden = true;
    refresh().catch(() => undefined);
  });
  const again = async () => {
    await refresh().catch(() => undefined);
    setTimeout(() => void again(), AGAIN_MS);
  };
  void again();
}

begin();
