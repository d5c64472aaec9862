import { markLanguage } from '../language.js';
import { call, find, language, made, words } from './desk.js';
import { answeredBy, drawList, lasting, nameOf, shortly } from './list.js';
import { samplesFor } from './samples.js';
import { drawTalk } from './talk.js';

const AGAIN_MS = 2_000;
const TYPING_EVERY_MS = 4_000;
const LANGUAGES = { th: 'ไทย', la: 'ລາວ', en: 'English' };
const DESK = '/support/conversations';

let openId = null;
let shown = '';
let typedAt = 0;

function showHead(conversations, now) {
  const waiting = conversations.filter(({ waitingSince }) => waitingSince !== null).length;
  const summary = waiting === 0 ? words.nobodyWaits : words.waitingCount(waiting);
  // Said again by screen readers only when it has changed.
  if (find('waiting').textContent !== summary) find('waiting').textContent = summary;
  find('waiting').classList.toggle('waits', waiting > 0);
  document.title = waiting === 0 ? words.title : `(${waiting}) ${words.title}`;
  const open = conversations.find(({ id }) => id === openId);
  if (!open) return;
  find('name').textContent = nameOf(open);
  const since = open.waitingSince;
  find('since').textContent =
    since === null ? answeredBy(open) : words.waitsSince(shortly(since, now), lasting(now - since));
  find('since').classList.toggle('waits', since !== null);
}

async function refresh() {
  const conversations = await call(DESK);
  const now = Date.now();
  find('empty').hidden = conversations.length > 0;
  find('nobody').hidden = openId !== null || conversations.length === 0;
  showHead(conversations, now);
  drawList(find('list'), conversations, { openId, now, choose });
  const open = conversations.find(({ id }) => id === openId);
  if (!open) return;
  const messages = await call(`${DESK}/${open.id}`);
  const state = `${open.id} ${messages.length}`;
  if (state !== shown) {
    shown = state;
    drawTalk(find('talk'), messages, now, (reference) =>
      call(`${DESK}/${open.id}/movements/${encodeURIComponent(reference)}`),
    );
  }
  // Messages received while this page is hidden stay unread.
  if (open.unread > 0 && document.visibilityState === 'visible') await call(`${DESK}/${open.id}/seen`, {});
}

async function choose({ id }) {
  openId = id;
  document.body.classList.add('talking');
  find('open').hidden = false;
  await refresh();
  await refresh();
  find('words').focus();
}

async function say(messageType, payload) {
  find('words').setCustomValidity('');
  try {
    await call(`${DESK}/${openId}/messages`, { message_type: messageType, payload });
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

function speak() {
  markLanguage(language);
  document.title = words.title;
  for (const [id, text] of Object.entries({
    title: words.title,
    empty: words.empty,
    nobody: words.choose,
    send: words.send,
  }))
    find(id).textContent = text;
  find('back').setAttribute('aria-label', words.back);
  find('words').placeholder = words.write;
  find('words').setAttribute('aria-label', words.write);
  find('languages').setAttribute('aria-label', words.languages);
  for (const [code, name] of Object.entries(LANGUAGES)) {
    const link = Object.assign(made('a', '', name), { href: `?l=${code}`, lang: code === 'la' ? 'lo' : code });
    if (code === language) link.setAttribute('aria-current', 'true');
    find('languages').append(link);
  }
}

function leave() {
  openId = null;
  shown = '';
  document.body.classList.remove('talking');
  find('open').hidden = true;
  refresh().catch(() => undefined);
}

function tellTyping() {
  find('words').setCustomValidity('');
  if (Date.now() - typedAt < TYPING_EVERY_MS) return;
  typedAt = Date.now();
  call(`${DESK}/${openId}/typing`, {}).catch(() => undefined);
}

async function begin() {
  speak();
  find('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void sendWords();
  });
  find('words').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void sendWords();
  });
  find('words').addEventListener('input', tellTyping);
  find('back').addEventListener('click', leave);
  const again = async () => {
    await refresh().catch(() => undefined);
    setTimeout(() => void again(), AGAIN_MS);
  };
  void again();
  const { site } = await call('/phone/links');
  for (const [kind, payload] of Object.entries(samplesFor(site))) {
    const sample = made('button', 'chip', words.samples[kind]);
    sample.type = 'button';
    sample.addEventListener('click', () => void say(kind, payload()));
    find('samples').append(sample);
  }
}

void begin();
