import { randomKey } from '../random-key.js';
import { stakeIn } from './counter.js';
import { call, game, isOpen, total } from './game.js';
import { drawing, find, make } from './make.js';
import { exactMoney, money, satang } from './money.js';
import { paper } from './paper.js';

const CROSS = '<path d="M6 6l12 12M18 6 6 18"/>';
const wide = matchMedia('(min-width: 1000px)');

let bought;
let onBought = () => {};
let onOver = () => {};

export function openSlip(handlers) {
  ({ onBought, onOver } = handlers);
  find('basket').addEventListener('click', () => showSheet(true));
  find('veil').addEventListener('click', () => showSheet(false));
  find('slip').addEventListener('keydown', (event) => {
    if (event.key === 'Escape') showSheet(false);
  });
  wide.addEventListener('change', () => showSheet(false));
}

/** On a phone the slip is a sheet that comes up; beside the counter it is always there. */
export function showSheet(isUp) {
  const up = isUp && !wide.matches;
  document.body.classList.toggle('sheet-up', up);
  find('veil').hidden = !up;
  find('hall').inert = up;
  if (up) find('slip').querySelector('button')?.focus({ preventScroll: true });
  if (!isUp) {
    bought = undefined;
    showSlip();
  }
}

export function showBasket() {
  const { words, lines } = game;
  find('basket').disabled = lines.length === 0;
  find('basket-count').textContent = String(lines.length);
  find('basket-lines').textContent = lines.length === 0 ? words.emptyBasket : words.lines(lines.length);
  find('basket-sum').textContent = lines.length === 0 ? '' : `${money(total())} ${words.baht}`;
  find('basket-go').textContent = words.open;
}

export function showSlip() {
  showBasket();
  const slip = find('slip');
  const scrolled = slip.querySelector('.lines')?.scrollTop ?? 0;
  slip.replaceChildren(...(bought ? ticketBought() : slipParts()));
  const list = slip.querySelector('.lines');
  if (list) list.scrollTop = scrolled;
}

function head(title, isTicket) {
  const { words, lines, pending } = game;
  return make(
    'header',
    {},
    make('h2', {}, title),
    !isTicket &&
      lines.length > 0 &&
      make('button', { type: 'button', class: 'quiet', disabled: Boolean(pending), onclick: clear }, words.clear),
    make(
      'button',
      { type: 'button', class: 'icon shut', 'aria-label': words.close, onclick: () => showSheet(false) },
      drawing('0 0 24 24', CROSS),
    ),
  );
}

function slipParts() {
  const { words, lines, draw } = game;
  const title = draw ? `${words.slip} · ${words.draw(draw.number)}` : words.slip;
  if (lines.length === 0) {
    return [
      head(title),
      make('div', { class: 'nothing' }, drawing('0 0 120 80', BLANK, 'blank'), make('p', {}, words.slipEmpty)),
    ];
  }
  return [head(title), make('ol', { class: 'lines' }, lines.map(lineRow)), foot()];
}

const BLANK =
  '<path d="M14 14h92v17a9 9 0 0 0 0 18v17H14V49a9 9 0 0 0 0-18Z" fill="#43183a" stroke="#e6b860" stroke-opacity=".6" stroke-width="2"/><path d="M42 16v48" stroke="#e6b860" stroke-opacity=".5" stroke-width="2" stroke-dasharray="3 5"/><circle cx="60" cy="40" r="8" fill="#b81f2d"/><circle cx="78" cy="40" r="8" fill="#e6b860"/><circle cx="94" cy="40" r="6" fill="#1f8a72"/>';

function lineRow(line, at) {
  const { words, rules, pending } = game;
  const wins = make('small', { class: 'figures' }, winText(line));
  const field = make('input', {
    class: 'figures',
    inputmode: 'numeric',
    maxlength: 4,
    autocomplete: 'off',
    'aria-label': words.stakeOf(line.number),
    disabled: Boolean(pending),
  });
  field.value = String(line.stake / 100);
  field.addEventListener('focus', () => field.select());
  field.addEventListener('input', () => {
    line.stake = stakeIn(field);
    wins.textContent = winText(line);
    showBasket();
    find('slip').querySelector('footer').replaceWith(foot());
  });
  return make(
    'li',
    { 'data-digits': rules.get(line.kind).digits },
    make('b', { class: 'figures' }, line.number),
    make('span', { class: 'kind' }, words.kinds[line.kind], wins),
    make('label', { class: 'sum' }, field, make('i', {}, words.baht)),
    make(
      'button',
      {
        type: 'button',
        class: 'icon',
        'aria-label': words.remove(line.number),
        disabled: Boolean(pending),
        onclick: () => remove(at),
      },
      drawing('0 0 24 24', CROSS),
    ),
  );
}

const winText = ({ kind, stake }) => game.words.wins(money((stake * game.rules.get(kind).tenths) / 10));

function foot() {
  const { words, balance, pending, stakes, trouble } = game;
  const sum = total();
  const isShort = sum > balance;
  const isWrong = game.lines.some(({ stake }) => stake < stakes.least || stake > stakes.most);
  const problem =
    trouble ||
    (isWrong && words.noStake(money(stakes.least), money(stakes.most))) ||
    (isShort && words.short(exactMoney(sum - balance))) ||
    (!isOpen() && words.closedNow) ||
    '';
  const asking = pending?.isAsking;
  const word = asking ? words.buying : pending ? words.again : words.buy(money(sum));
  return make(
    'footer',
    {},
    make('p', { class: 'row' }, words.total, make('b', { class: 'figures' }, `${money(sum)} ${words.baht}`)),
    !isShort &&
      make('p', { class: 'row quiet' }, words.after, make('span', { class: 'figures' }, exactMoney(balance - sum))),
    make('p', { class: 'problem', role: 'alert' }, problem),
    make(
      'button',
      {
        type: 'button',
        class: 'buy',
        id: 'buy',
        disabled: Boolean(asking) || (!pending && (isShort || isWrong || !isOpen())),
        onclick: () => void buy(),
      },
      word,
    ),
  );
}

function ticketBought() {
  const { words } = game;
  return [
    head(words.bought, true),
    make('div', { class: 'lines fresh' }, paper(bought)),
    make(
      'footer',
      { class: 'two' },
      make('button', { type: 'button', class: 'second', onclick: () => toTickets() }, words.seeTickets),
      make('button', { type: 'button', class: 'buy', onclick: () => showSheet(false) }, words.more),
    ),
  ];
}

function toTickets() {
  showSheet(false);
  document.querySelector('[data-to=tickets]').click();
}

function clear() {
  game.lines = [];
  game.trouble = '';
  showSheet(false);
}

function remove(at) {
  game.lines.splice(at, 1);
  game.trouble = '';
  if (game.lines.length === 0) showSheet(false);
  else showSlip();
}

async function buy() {
  game.pending ??= { draw: game.draw.number, lines: game.lines.map((line) => ({ ...line })), key: randomKey() };
  if (game.pending.isAsking) return;
  const { draw, lines, key } = game.pending;
  game.pending.isAsking = true;
  game.trouble = '';
  showSlip();
  try {
    const answer = await call('tickets', { draw, lines, key });
    game.pending = undefined;
    game.lines = [];
    bought = answer.ticket;
    onBought(answer);
    showSlip();
    find('slip').querySelector('.buy')?.focus({ preventScroll: true });
  } catch (error) {
    failed(error.code);
  }
}

/** Only a definite refusal drops the key; a slip that may have been bought keeps it. */
function failed(code) {
  const { words } = game;
  const isRefused = ['not_enough_money', 'betting_closed', 'bad_input', 'unknown_draw', 'key_used'].includes(code);
  if (isRefused) game.pending = undefined;
  else if (game.pending) game.pending.isAsking = false;
  game.trouble = code === 'betting_closed' ? words.closedNow : isRefused ? '' : words.offline;
  if (code === 'session_over') onOver();
  else if (isRefused) onBought(undefined);
  showSlip();
}

/** Money or time has changed: what the slip says of them may be other. */
export function refreshSlip() {
  if (isOpen() && game.trouble === game.words.closedNow) game.trouble = '';
  const footer = find('slip').querySelector(':scope > footer:not(.two)');
  if (footer && !footer.contains(document.activeElement)) footer.replaceWith(foot());
  const title = find('slip').querySelector('h2');
  if (title && !bought && game.draw) title.textContent = `${game.words.slip} · ${game.words.draw(game.draw.number)}`;
}

export const moneyIn = ({ balance, outstanding }) => ({ balance: satang(balance), outstanding: satang(outstanding) });
