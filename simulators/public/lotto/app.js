import { markLanguage } from '../language.js';
import { openCounter, say, showCounter } from './counter.js';
import { call, game, isOpen, now } from './game.js';
import { showResults, showTickets } from './lists.js';
import { find, make, still } from './make.js';
import { exactMoney, hour, minutes, satang, times } from './money.js';
import { moneyIn, openSlip, refreshSlip, showSheet, showSlip } from './slip.js';
import { leaveStage, showDraw, showTumbling, stageShows } from './stage.js';
import { WORDS } from './words.js';

const IDLE_MS = 15_000;
const DRAW_MS = 900;
/** An older draw is shown without animation. */
const FRESH_MS = 30_000;
let asked = 0;
let lastAsked = 0;
let isAsking = false;
let wasOpen;

function setMoney(money) {
  const { balance, outstanding } = moneyIn(money);
  count(find('balance'), game.balance, balance);
  find('outstanding').textContent = exactMoney(outstanding);
  Object.assign(game, { balance, outstanding });
}

/** Counts a figure to its new value. */
function count(element, from, to) {
  if (still.matches || from === to || document.hidden || asked === 1) {
    element.textContent = exactMoney(to);
    return;
  }
  const begin = performance.now();
  const step = (at) => {
    const part = Math.min((at - begin) / 300, 1);
    element.textContent = exactMoney(part < 1 ? Math.round(from + (to - from) * part) : game.balance);
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function speak(language, name) {
  game.language = language;
  game.words = WORDS[language];
  const { words } = game;
  const title = name?.[language] ?? '';
  markLanguage(language);
  if (title) document.title = title;
  find('title').textContent = title;
  for (const id of ['back', 'help']) find(id).setAttribute('aria-label', words[id]);
  find('wallet').textContent = words.wallet;
  find('label-balance').textContent = words.balance;
  find('label-outstanding').textContent = words.outstanding;
  for (const tab of find('tabs').children) tab.querySelector('span').textContent = words.tabs[tab.dataset.to];
}

/** Takes over what the server says; animates a draw that has happened while the page was looking. */
function take(state) {
  const before = game.last?.number;
  game.ahead = state.now - Date.now();
  Object.assign(game, { draw: state.draw, kinds: state.kinds, stakes: state.stakes, returnUrl: state.returnUrl });
  game.rules = new Map(state.kinds.map((rule) => [rule.kind, rule]));
  game.last = state.last;
  if (/^https?:/.test(state.returnUrl ?? '')) {
    find('back').href = state.returnUrl;
    find('back').hidden = false;
  }
  find('draw-name').textContent = game.words.draw(state.draw.number);
  find('draw-time').textContent = game.words.drawAt(hour(state.draw.drawAt));
  const isNew = asked > 1 && state.last && state.last.number !== before;
  const isSeen = document.body.dataset.view === 'buy' && !document.hidden;
  if (isNew && isSeen && state.now - state.last.drawnAt < FRESH_MS) {
    // The balls show the result first, then the figures; by then there may be newer ones.
    void showDraw(state.last, () => winOfDraw(state.last.number)).then(() => {
      void refresh();
      void refreshLists();
    });
    return;
  }
  setMoney(state);
  if (isOpen() && stageShows() === 'tumbling') leaveStage();
  if (isNew) void refreshLists();
}

/** What the member's tickets of a draw won; undefined when there are none. */
async function winOfDraw(number) {
  const { tickets } = await call('tickets');
  const own = tickets.filter(({ draw }) => draw === number);
  return own.length === 0 ? undefined : own.reduce((sum, { win }) => sum + satang(win ?? '0.00'), 0);
}

async function refresh() {
  if (isAsking || game.isOver) return;
  isAsking = true;
  try {
    const state = await call('state');
    asked += 1;
    lastAsked = Date.now();
    if (asked === 1) speak(state.language, state.name);
    take(state);
    tick();
    if (asked === 1) firstShown();
    if (find('message').textContent === game.words.lost) say('');
    refreshSlip();
  } catch (error) {
    if (error.code === 'session_over') showOver();
    else say(game.words.lost, 'short');
  } finally {
    isAsking = false;
  }
}

function firstShown() {
  showCounter();
  showSlip();
  say(game.words.ready(3));
  void refreshLists();
}

async function refreshLists() {
  try {
    const [{ tickets }, { results }] = await Promise.all([call('tickets'), call('results')]);
    showTickets(tickets);
    showResults(results);
  } catch (error) {
    if (error.code === 'session_over') showOver();
  }
}

/** The clock: counts down, closes the counter, and asks for the result when it is time. */
function tick() {
  if (!game.draw || game.isOver) return;
  const open = isOpen();
  const { closesAt, drawAt } = game.draw;
  const left = (open ? closesAt : drawAt) - now();
  find('clock-word').textContent = open ? game.words.closes : game.words.closed;
  find('clock').textContent = minutes(left);
  find('draw').classList.toggle('closing', open && left < 30_000);
  find('draw').classList.toggle('closed', !open);
  find('sand').style.transform = `scaleX(${Math.max(0, Math.min(1, left / (open ? 160_000 : 20_000)))})`;
  if (open !== wasOpen) {
    wasOpen = open;
    refreshSlip();
  }
  if (!open) showTumbling();
  const isDue = now() >= drawAt;
  if (!document.hidden && Date.now() - lastAsked > (isDue ? DRAW_MS : IDLE_MS)) {
    lastAsked = Date.now();
    void refresh();
  }
}

function showView(name) {
  document.body.dataset.view = name;
  for (const tab of find('tabs').children) tab.toggleAttribute('aria-current', tab.dataset.to === name);
  for (const view of ['buy', 'tickets', 'results']) find(`view-${view}`).hidden = view !== name;
  scrollTo(0, 0);
  if (name !== 'buy') void refreshLists();
}

function showRules() {
  const { words } = game;
  const rows = game.kinds.map(({ kind, tenths }) =>
    make(
      'li',
      {},
      make('span', {}, make('b', {}, words.kinds[kind]), make('small', {}, words.explain[kind])),
      make('b', { class: 'figures' }, `× ${times(tenths)}`),
    ),
  );
  find('rules').replaceChildren(
    make('h2', {}, words.rules),
    make('p', {}, words.how),
    make('ul', {}, rows),
    make('p', {}, words.rate),
    make('button', { type: 'button', class: 'buy', onclick: () => find('rules').close() }, words.close),
  );
  find('rules').showModal();
}

function showOver() {
  const { words, returnUrl } = game;
  game.isOver = true;
  showSheet(false);
  find('hall').inert = true;
  find('slip').inert = true;
  find('over').replaceChildren(
    make(
      'div',
      {},
      make('h2', { id: 'over-title' }, words.over),
      make('p', {}, words.overMore),
      returnUrl && make('a', { class: 'buy', href: returnUrl }, words.back),
    ),
  );
  find('over').hidden = false;
  find('over').querySelector('a')?.focus();
}

function begin() {
  speak(game.language);
  openCounter(() => {
    showSlip();
    if (still.matches) return;
    find('basket').animate([{ transform: 'scale(1)' }, { transform: 'scale(1.03)' }, { transform: 'scale(1)' }], 200);
  });
  openSlip({
    onBought: (answer) => {
      if (answer) setMoney(answer);
      else void refresh();
      void refreshLists();
    },
    onOver: showOver,
  });
  for (const tab of find('tabs').children) tab.addEventListener('click', () => showView(tab.dataset.to));
  find('help').addEventListener('click', showRules);
  // Money may have come or gone while the member was in the wallet.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void refresh();
  });
  showView('buy');
  void refresh().then(() => {
    document.body.classList.remove('loading');
    setInterval(tick, 250);
    tick();
  });
}

begin();
