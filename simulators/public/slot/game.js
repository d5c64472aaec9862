import { languageAsked, markLanguage } from '../language.js';
import { randomKey } from '../random-key.js';
import { picture, Reels } from './reels.js';
import { SYMBOLS } from './skins.js';
import { WORDS } from './words.js';

const provider = location.pathname.split('/')[2];
const query = new URLSearchParams(location.search);
const asked = query.get('skin') ?? query.get('game') ?? '';
const skin = Object.hasOwn(SYMBOLS, asked) ? asked : 'tiger';
const headers = { authorization: `Bearer ${query.get('ops') ?? ''}`, 'content-type': 'application/json' };
const BIG_WIN_BETS = 8;
/** How long the reels turn without an answer; then the same round is requested again. */
const PATIENCE_MS = 10_000;
const OPENING = [6, 4, 2, 1, 0, 3, 5, 6, 4];

const find = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const reels = new Reels(find('reels'));
const game = {
  words: WORDS.th,
  bets: [],
  lines: [],
  pays: [],
  bet: 0,
  balance: 0,
  state: 'loading',
  pending: undefined,
};

/** Text with two decimals to hundredths, without floating point. */
const minor = (text) => Number(text.replace('.', ''));
const money = (hundredths) => {
  const digits = String(hundredths).padStart(3, '0');
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
};

async function call(path, body) {
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(path, { headers, signal: AbortSignal.timeout(PATIENCE_MS), ...post });
  if (response.ok) return response.json();
  const { error = 'unknown' } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error), { code: error, isRefusal: response.status < 500 });
}

function say(text, kind = '') {
  find('message').textContent = text;
  find('message').className = `message ${kind}`;
}

/** Counts a figure to its new value. */
function count(element, from, to) {
  if (still.matches || from === to) {
    element.textContent = money(to);
    return;
  }
  const begin = performance.now();
  const length = Math.min(300 + Math.abs(to - from) / 40, 1200);
  const step = (now) => {
    const part = Math.min((now - begin) / length, 1);
    const eased = 1 - (1 - part) ** 3;
    element.textContent = money(Math.round(from + (to - from) * eased));
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function setBalance(value, counted = true) {
  if (counted) count(find('balance'), game.balance, value);
  else find('balance').textContent = money(value);
  game.balance = value;
}

function showBet() {
  const at = game.bets.indexOf(game.bet);
  find('bet').textContent = money(game.bet);
  const turning = game.state !== 'idle';
  const fixed = turning || Boolean(game.pending);
  find('less').disabled = fixed || at <= 0;
  find('more').disabled = fixed || at >= game.bets.length - 1;
  const short = game.balance < game.bet;
  find('spin').disabled = game.state === 'over' || (game.state === 'idle' && short && !game.pending);
  find('spin-word').textContent = game.state === 'stopping' ? game.words.stop : game.words.spin;
  document.body.classList.toggle('turning', turning && game.state !== 'over');
  if (game.state === 'idle' && short) say(game.balance < game.bets[0] ? game.words.empty : game.words.lower, 'short');
}

function stepBet(by) {
  if (game.state !== 'idle' || game.pending) return;
  const at = game.bets.indexOf(game.bet) + by;
  if (!game.bets[at]) return;
  game.bet = game.bets[at];
  say(game.words.ready);
  showBet();
}

function clearWin() {
  find('reels').classList.remove('has-win');
  find('lines').replaceChildren();
  find('burst').hidden = true;
  find('win').textContent = money(0);
}

function linePath(line) {
  const at = (number) => [(number % 3) * 100 + 50, Math.floor(number / 3) * 100 + 50];
  return `M${line.map((number) => at(number).join(' ')).join('L')}`;
}

function svgPath(d, className) {
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', d);
  if (className) path.setAttribute('class', className);
  return path;
}

function showWin({ wins, win, bet }) {
  if (win === 0) {
    say(game.words.nothing);
    return;
  }
  find('reels').classList.add('has-win');
  reels.mark(new Set(wins.flatMap(({ line }) => game.lines[line])));
  find('lines').replaceChildren(
    ...wins.flatMap(({ line }) => [svgPath(linePath(game.lines[line]), 'under'), svgPath(linePath(game.lines[line]))]),
  );
  count(find('win'), 0, win);
  say(game.words.won(money(win), wins.length), 'won');
  if (win < bet * BIG_WIN_BETS) return;
  find('burst-word').textContent = game.words.big;
  find('burst').hidden = false;
  count(find('burst-sum'), 0, win);
}

/** A round that was asked but not answered keeps its key: asking again can't stake twice. */
async function spin() {
  if (game.state === 'stopping') {
    reels.hurry();
    return;
  }
  if (game.state !== 'idle' || find('spin').disabled) return;
  if (game.bets.length === 0) {
    await load();
    return;
  }
  game.pending ??= { bet: game.bet, key: randomKey() };
  clearWin();
  game.state = 'turning';
  say(game.words.spinning);
  showBet();
  reels.start();
  try {
    const [round] = await Promise.all([
      call(`/games/${provider}/play/spin`, game.pending),
      new Promise((done) => setTimeout(done, still.matches ? 0 : 380)),
    ]);
    game.pending = undefined;
    setBalance(minor(round.balance) - round.win);
    game.state = 'stopping';
    showBet();
    await reels.stopOn(round.cells);
    game.state = 'idle';
    setBalance(minor(round.balance));
    showWin(round);
    showBet();
  } catch (error) {
    void reels.stopOn(OPENING);
    // Only a definite refusal drops the key; a round that may have been played keeps it.
    if (error.isRefusal) game.pending = undefined;
    failed(error.code);
    if (error.code === 'not_enough_money') await refresh().catch((again) => failed(again.code));
  }
}

function failed(code) {
  game.state = code === 'session_over' ? 'over' : 'idle';
  say(code === 'session_over' ? game.words.over : game.words.offline, 'short');
  showBet();
}

async function refresh() {
  const state = await call(`/games/${provider}/play/state`);
  setBalance(minor(state.balance));
  if (find('message').classList.contains('short')) say(game.words.ready);
  showBet();
}

function fillPaytable() {
  const rows = game.pays.map((pay, symbol) => {
    const row = document.createElement('li');
    const times = document.createElement('span');
    times.className = 'figures';
    times.textContent = `× ${String(pay)}`;
    row.append(picture(symbol), times);
    return row;
  });
  find('pays').replaceChildren(...rows);
  const maps = game.lines.map((line) => {
    const item = document.createElement('li');
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 300 300');
    svg.setAttribute('class', 'map');
    const ground = svgPath('M20 20h260v260H20Z');
    ground.setAttribute('fill', 'rgb(255 255 255 / .08)');
    const path = svgPath(linePath(line), 'way');
    for (const [name, value] of [
      ['fill', 'none'],
      ['stroke-width', '26'],
      ['stroke-linecap', 'round'],
    ])
      path.setAttribute(name, value);
    svg.append(ground, path);
    item.append(svg);
    return item;
  });
  find('line-list').replaceChildren(...maps);
}

/** @param title of the provider, whose name its main game has; without one, the game's own name */
function speak(language, title = WORDS[language][skin]) {
  const words = WORDS[language];
  game.words = words;
  markLanguage(language);
  document.title = title;
  for (const [id, text] of [
    ['title', title],
    ['label-balance', words.balance],
    ['label-win', words.win],
    ['label-bet', words.bet],
    ['pay-title', words.payTitle],
    ['pay-wild', words.payWild],
    ['pay-rule', words.payRule],
    ['lines-title', words.lines],
    ['close', words.close],
    ['wallet', words.wallet],
  ])
    find(id).textContent = text;
  for (const [id, text] of [
    ['less', words.less],
    ['more', words.more],
    ['help', words.help],
    ['back', words.back],
  ])
    find(id).setAttribute('aria-label', text);
}

function listen() {
  find('spin').addEventListener('click', () => void spin());
  find('less').addEventListener('click', () => stepBet(-1));
  find('more').addEventListener('click', () => stepBet(1));
  find('help').addEventListener('click', () => find('paytable').showModal());
  find('close').addEventListener('click', () => find('paytable').close());
  addEventListener('keydown', (event) => {
    if (find('paytable').open || event.repeat) return;
    const act = {
      ' ': spin,
      Enter: spin,
      ArrowUp: () => stepBet(1),
      ArrowDown: () => stepBet(-1),
      p: () => find('paytable').showModal(),
    }[event.key];
    if (!act || (event.target.closest('button, a') && (event.key === ' ' || event.key === 'Enter'))) return;
    event.preventDefault();
    void act();
  });
  // Money may have come or gone while the member was in the wallet.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) look();
  });
  addEventListener('focus', look);
}

/** What another window has played, or the wallet moved, is seen on coming back. */
function look() {
  if (game.state === 'idle' && game.bets.length > 0) refresh().catch((error) => failed(error.code));
}

function begin() {
  document.documentElement.dataset.skin = skin;
  find('sprite').innerHTML = SYMBOLS[skin]
    .map((drawing, n) => `<symbol id="symbol-${n}" viewBox="0 0 100 100">${drawing}</symbol>`)
    .join('');
  speak(languageAsked());
  reels.show(OPENING);
  listen();
  void load();
}

/** Reads how things stand: the last round too, which may have ended while the page was gone. */
async function load() {
  try {
    const state = await call(`/games/${provider}/play/state`);
    speak(state.language, state.isMainGame ? state.title : undefined);
    Object.assign(game, { bets: state.bets, lines: state.lines, pays: state.pays, state: 'idle' });
    game.bet = game.bets.findLast((bet) => bet * 50 <= minor(state.balance)) ?? game.bets[0];
    if (state.returnUrl) {
      find('back').href = state.returnUrl;
      find('back').hidden = false;
    }
    setBalance(minor(state.balance), false);
    reels.show(state.last?.cells ?? OPENING);
    find('win').textContent = money(state.last?.win ?? 0);
    say(game.words.ready);
    fillPaytable();
    showBet();
  } catch (error) {
    failed(error.code);
  }
  document.body.classList.remove('loading');
}

begin();
