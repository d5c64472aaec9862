import { game, isOpen } from './game.js';
import { drawing, find, make } from './make.js';
import { money, satang, times } from './money.js';

const ERASE = '<path d="M9 5h11v14H9l-6-7ZM12 9.500l5 5M17 9.500l-5 5"/>';
const QUICK =
  '<rect x="4" y="4" width="16" height="16" rx="4"/><path d="M8.500 8.500v.1M15.500 8.500v.1M12 12v.1M8.500 15.500v.1M15.500 15.500v.1"/>';
const CHIPS = [500, 1_000, 2_000, 5_000, 10_000];

const digits = () => game.rules.get([...game.chosen][0])?.digits ?? 3;

export function say(text, kind = '') {
  find('message').textContent = text;
  find('message').className = `message ${kind}`;
}

/** The counter: kinds, digits, number pad and price. `onAdded` is called for every change of the slip. */
export function openCounter(onAdded) {
  for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'quick', '0', 'erase']) {
    const face = { quick: drawing('0 0 24 24', QUICK), erase: drawing('0 0 24 24', ERASE) }[key] ?? key;
    const act = { quick: () => quick(onAdded), erase }[key] ?? (() => type(key, onAdded));
    find('pad').append(make('button', { type: 'button', 'data-key': key, class: 'figures', onclick: act }, face));
  }
  for (const chip of CHIPS) {
    const button = make('button', { type: 'button', 'data-stake': chip, class: 'figures' }, money(chip));
    button.addEventListener('click', () => setStake(chip));
    find('chips').append(button);
  }
  find('stake').addEventListener('input', () => {
    find('stake').value = find('stake').value.replace(/\D/g, '');
    game.stake = Number(find('stake').value) * 100;
    showStake();
  });
  find('stake').addEventListener('focus', () => find('stake').select());
  find('reverse').addEventListener('click', () => {
    game.reversed = !game.reversed;
    showCounter();
  });
  addEventListener('keydown', (event) => {
    if (document.body.dataset.view !== 'buy' || event.target.closest('input, dialog, aside') || !isOpen()) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^\d$/.test(event.key)) type(event.key, onAdded);
    else if (event.key === 'Backspace') erase();
  });
}

function choose(kind) {
  const { digits: required } = game.rules.get(kind);
  if (required !== digits()) {
    game.chosen = new Set([kind]);
    game.typed = '';
  } else if (!game.chosen.has(kind)) game.chosen.add(kind);
  else if (game.chosen.size > 1) game.chosen.delete(kind);
  showCounter();
  say(game.words.ready(digits()));
}

function setStake(stake) {
  game.stake = stake;
  find('stake').value = String(stake / 100);
  showStake();
}

function showStake() {
  for (const chip of find('chips').children)
    chip.setAttribute('aria-pressed', String(Number(chip.dataset.stake) === game.stake));
}

function erase() {
  game.typed = game.typed.slice(0, -1);
  showBoxes();
}

function type(digit, onAdded) {
  if (game.pending) return;
  game.typed += digit;
  showBoxes();
  if (game.typed.length < digits()) return;
  const number = game.typed;
  game.typed = '';
  add(number, onAdded);
  showBoxes(number);
}

function quick(onAdded) {
  if (game.pending) return;
  const random = crypto.getRandomValues(new Uint32Array(3));
  const number = Array.from(random.slice(0, digits()), (value) => String(value % 10)).join('');
  game.typed = '';
  add(number, onAdded);
  showBoxes(number);
}

/** Every order of the digits, each once. */
function orders(number) {
  if (number.length < 2) return [number];
  const all = [...number].flatMap((digit, at) =>
    orders(number.slice(0, at) + number.slice(at + 1)).map((rest) => digit + rest),
  );
  return [...new Set(all)];
}

function add(number, onAdded) {
  const { words, stakes } = game;
  if (game.stake < stakes.least || game.stake > stakes.most || game.stake % stakes.step !== 0) {
    say(words.noStake(money(stakes.least), money(stakes.most)), 'short');
    return;
  }
  // In any order is any order: reversing it would buy the same thing again.
  const added = [...game.chosen].flatMap((kind) =>
    (game.reversed && kind !== 'tod3' ? orders(number) : [number]).map((each) => ({ kind, number: each })),
  );
  const room = stakes.lines - game.lines.length;
  if (added.length > room) {
    say(words.full(stakes.lines), 'short');
    return;
  }
  game.lines.push(...added.map((line) => ({ ...line, stake: game.stake })));
  const numbers = [...new Set(added.map((line) => line.number))].join(' ');
  say(words.added(numbers, [...game.chosen].map((kind) => words.kinds[kind]).join(', ')), 'good');
  onAdded();
}

/** The digits typed so far; a finished number stays to be seen, paler. */
function showBoxes(finished = '') {
  const shown = game.typed || finished;
  find('boxes').className = finished ? 'boxes done' : 'boxes';
  find('boxes').setAttribute('aria-label', game.words.boxes(shown));
  find('boxes').replaceChildren(
    ...Array.from({ length: digits() }, (_, at) =>
      make('span', { class: `figures${at === game.typed.length && !finished ? ' next' : ''}` }, shown[at] ?? ''),
    ),
  );
}

export function showCounter() {
  const { words } = game;
  find('kinds').setAttribute('aria-label', words.kindsLabel);
  find('kinds').replaceChildren(
    ...game.kinds.map(({ kind, tenths }) =>
      make(
        'button',
        {
          type: 'button',
          'data-kind': kind,
          'aria-pressed': String(game.chosen.has(kind)),
          onclick: () => choose(kind),
        },
        make('b', {}, words.kinds[kind]),
        make('span', { class: 'figures' }, words.pays(times(tenths))),
      ),
    ),
  );
  const hasOrders = digits() > 1 && [...game.chosen].some((kind) => kind !== 'tod3');
  find('reverse').disabled = !hasOrders;
  find('reverse').setAttribute('aria-pressed', String(hasOrders && game.reversed));
  find('reverse').querySelector('span').textContent = words.reverse;
  for (const [key, word] of [
    ['quick', words.quick],
    ['erase', words.erase],
  ]) {
    const button = find('pad').querySelector(`[data-key=${key}]`);
    button.setAttribute('aria-label', word);
    if (!button.querySelector('span')) button.append(make('span', {}, word));
    button.querySelector('span').textContent = word;
  }
  find('label-stake').textContent = words.stake;
  find('baht').textContent = words.baht;
  if (document.activeElement !== find('stake')) find('stake').value = String(game.stake / 100);
  showStake();
  showBoxes();
}

/** The stake of a field in satang; 0 when there is none. */
export const stakeIn = (field) => satang(`${field.value.replace(/\D/g, '') || '0'}.00`);
