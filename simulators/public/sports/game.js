import { badgeSymbols } from './badges.js';
import { betsView } from './bets-view.js';
import { book, call, isLive, speak } from './book.js';
import { patch } from './dom.js';
import { money } from './figures.js';
import { curtainView, navView, shakyView, topView } from './frame-view.js';
import { matchView } from './match-view.js';
import { matchesView } from './matches-view.js';
import { slipView } from './slip-view.js';
import { addStake, openSlip, placeBet, stakeAll } from './slip.js';

const LOOK_EVERY_MS = 1200;
const TOAST_MS = 5000;
const find = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const wide = matchMedia('(min-width: 1000px)');

function draw() {
  document.body.dataset.view = book.view;
  document.body.classList.toggle('has-slip', book.slip !== undefined);
  // On a phone the slip covers the page.
  for (const part of document.querySelectorAll('.top, .panes, .nav'))
    part.inert = !wide.matches && book.slip !== undefined;
  patch(find('top'), topView());
  find('purse-name').textContent = book.words.balance;
  patch(find('shaky'), shakyView());
  patch(find('nav'), navView());
  patch(find('curtain'), curtainView());
  if (!book.board) return;
  document.title = book.board.title;
  patch(find('matches'), matchesView());
  labelMatch();
  patch(find('match'), matchView());
  patch(find('bets'), betsView());
  patch(find('slip'), slipView());
}

/** On a desktop the match has its own scroll area, often without a button: the keyboard must still reach it. */
function labelMatch() {
  const { match, words } = book;
  const name = match ? `${match.home.name} – ${match.away.name}` : words.pickMatch;
  if (find('match').ariaLabel !== name) find('match').ariaLabel = name;
  if (wide.matches) find('match').tabIndex = 0;
  else find('match').removeAttribute('tabindex');
}

/** Counts the credit to its new value. */
function countBalance(to) {
  const from = book.balance ?? to;
  book.balance = to;
  const begin = performance.now();
  const step = (time) => {
    if (book.balance !== to) return;
    const part = still.matches || from === to ? 1 : Math.min((time - begin) / 700, 1);
    find('balance').textContent = money(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
    if (part < 1) requestAnimationFrame(step);
  };
  step(begin);
}

let toastTimer;
function say(text, kind) {
  const toast = find('toast');
  toast.textContent = text;
  toast.className = `toast shown ${kind}`;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.className = 'toast'), TOAST_MS);
}

/** Refreshes everything on the screen once. */
async function look() {
  const before = book.board;
  const [board] = await Promise.all([
    call('board'),
    book.matchId === undefined ? undefined : lookAtMatch(),
    lookAtSlipMatch(),
  ]);
  book.ahead = board.now - Date.now();
  book.board = board;
  if (board.language !== book.language) speak(board.language);
  if (wide.matches && book.matchId === undefined) {
    book.matchId = (board.matches.find(isLive) ?? board.matches.find(({ phase }) => phase === 'coming'))?.id;
    await lookAtMatch();
  }
  if (!book.bets || book.view === 'bets' || wide.matches || before?.openBets !== board.openBets) await lookAtBets();
  countBalance(board.balance);
  book.problem = undefined;
}

async function lookAtMatch() {
  const match = await call(`matches/${String(book.matchId)}`).catch(gone);
  if (match?.id === book.matchId) book.match = match;
}

/** A line that is picked is followed also when nothing else shows it. */
async function lookAtSlipMatch() {
  const id = book.slip?.placed ? undefined : book.slip?.selection.matchId;
  book.slipMatch = id === undefined || id === book.matchId ? undefined : await call(`matches/${String(id)}`);
}

function gone(error) {
  if (error.code !== 'unknown_match' && error.code !== 'bad_input') throw error;
  location.hash = '';
  return undefined;
}

/** Reads the bets and announces newly settled ones. */
async function lookAtBets() {
  const open = new Set(book.bets?.open.map(({ id }) => id));
  for (const id of book.placedIds) open.add(id);
  book.bets = await call('bets');
  const settled = book.bets.settled.filter(({ id }) => open.has(id));
  for (const { id } of settled) book.placedIds.delete(id);
  const best = settled.toSorted((one, other) => other.paid - one.paid)[0];
  if (best) say(book.words.settledNews[best.state](money(best.paid)), best.state);
}

let round = 0;
async function keepLooking() {
  round += 1;
  const current = round;
  while (current === round && book.problem !== 'over') {
    try {
      if (!document.hidden) await look();
    } catch (error) {
      book.problem = error.code === 'session_over' || error.code === 'other_game' ? 'over' : 'offline';
    }
    document.body.classList.remove('loading');
    draw();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** What the address says: a match, the bets, or the list. */
function follow() {
  const id = /^#match-(\d+)$/.exec(location.hash)?.[1];
  book.view = id ? 'match' : location.hash === '#bets' ? 'bets' : 'matches';
  if (id && Number(id) !== book.matchId) {
    book.matchId = Number(id);
    book.match = undefined;
    find('match').scrollTop = 0;
  }
  if (!id && !wide.matches) Object.assign(book, { matchId: undefined, match: undefined });
  if (!wide.matches) scrollTo(0, 0);
  draw();
  if (book.board) void keepLooking();
}

function closeSlip() {
  if (book.slip?.sending) return;
  book.slip = undefined;
}

const ACTS = {
  pick: ({ name, pick }) => {
    openSlip(name, JSON.parse(pick));
    if (book.slip && !wide.matches) requestAnimationFrame(() => find('slip-title')?.focus({ preventScroll: true }));
  },
  'close-slip': closeSlip,
  'clear-stake': () => (book.slip.text = ''),
  add: ({ sum }) => addStake(Number(sum)),
  all: stakeAll,
  tab: ({ tab }) => (book.betsShown = tab),
  place: () =>
    void placeBet(() => {
      const { placed } = book.slip ?? {};
      if (placed) book.placedIds.add(placed.id);
      if (placed) countBalance(book.board.balance);
      draw();
    }),
};

function listen() {
  document.addEventListener('click', ({ target }) => {
    const acting = target.closest('[data-act]');
    if (!acting || acting.disabled) return;
    ACTS[acting.dataset.act](acting.dataset);
    draw();
  });
  document.addEventListener('input', ({ target }) => {
    if (target.id !== 'stake' || !book.slip) return;
    Object.assign(book.slip, { text: target.value, problem: undefined });
    draw();
  });
  document.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape' && book.slip) closeSlip();
    else if (key === 'Enter' && target.id === 'stake') ACTS.place();
    else return;
    draw();
  });
  // Money may have come or gone while the member was in the wallet.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void keepLooking();
  });
  addEventListener('hashchange', follow);
  wide.addEventListener('change', follow);
}

book.placedIds = new Set();
find('sprite').innerHTML = badgeSymbols();
speak(book.language);
listen();
follow();
void keepLooking();
