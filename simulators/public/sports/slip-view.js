import { book } from './book.js';
import { h } from './dom.js';
import { money, oddsText, shortMoney } from './figures.js';
import { badge, icon, pickText } from './pieces.js';
import { currentOdds, isFixed, possibleReturn, slipState } from './slip.js';

/** The bet slip: what is picked, the stake, what it may return, and the button; or the ticket once it is placed. */
export function slipView() {
  const { slip, words } = book;
  if (!slip) return [h('p', { class: 'slip-hint', key: 'hint' }, icon('ticket'), words.slipEmpty)];
  return [
    h('button', {
      class: 'slip-shade',
      type: 'button',
      key: 'shade',
      tabindex: '-1',
      'aria-label': words.close,
      'data-act': 'close-slip',
    }),
    h(
      'section',
      { class: 'slip', key: 'slip', role: 'dialog', 'aria-labelledby': 'slip-title' },
      h(
        'header',
        { class: 'slip-head' },
        h('h2', { id: 'slip-title', tabindex: '-1' }, slip.placed ? words.placed : words.slip),
        h(
          'button',
          { class: 'round', type: 'button', 'aria-label': words.close, 'data-act': 'close-slip' },
          icon('close'),
        ),
      ),
      slip.placed ? placed(slip) : form(slip),
    ),
  ];
}

function form(slip) {
  const { words, board } = book;
  const state = slipState(slip);
  const fixed = isFixed(slip);
  return h(
    'div',
    { class: 'slip-form', key: 'form' },
    picked(slip),
    h(
      'label',
      { class: `stake${state.note?.[0] === 'bad' && !state.gone ? ' wrong' : ''}` },
      h('span', {}, words.stake),
      h('input', {
        id: 'stake',
        class: 'figures',
        inputmode: 'decimal',
        autocomplete: 'off',
        placeholder: '0.00',
        maxlength: '13',
        disabled: fixed,
        value: slip.text,
      }),
      slip.text !== '' &&
        !fixed &&
        h('button', { type: 'button', class: 'clear', 'data-act': 'clear-stake' }, words.clear),
    ),
    h(
      'div',
      { class: 'presets' },
      board.stakes.presets.map((sum) =>
        h(
          'button',
          { type: 'button', class: 'figures', disabled: fixed, 'data-act': 'add', 'data-sum': sum },
          words.add(shortMoney(sum)),
        ),
      ),
      h('button', { type: 'button', disabled: fixed || board.balance === 0, 'data-act': 'all' }, words.all),
    ),
    h('p', { class: 'limits' }, words.stakeHint(shortMoney(board.stakes.least), shortMoney(board.stakes.most))),
    h(
      'p',
      { class: 'returns' },
      h('span', {}, words.returns),
      h('b', { class: 'figures' }, money(possibleReturn(slip, state.stake))),
    ),
    h('div', { class: 'notes', role: 'status' }, note(state)),
    h(
      'button',
      {
        type: 'button',
        class: `confirm${state.button.accepts ? ' accepts' : ''}${slip.sending ? ' sending' : ''}`,
        disabled: !state.button.can,
        'data-act': 'place',
      },
      state.button.text,
    ),
  );
}

function note(state) {
  const { words, board } = book;
  if (!state.note) return undefined;
  const [kind, text] = state.note;
  return h(
    'p',
    { class: `note note-${kind}` },
    text,
    state.isShort && board.returnUrl && h('a', { href: board.returnUrl }, words.toWallet),
  );
}

function picked(slip) {
  const { words } = book;
  const { match, selection } = slip;
  const odds = currentOdds(slip) ?? slip.odds;
  const moved = odds === slip.odds ? '' : odds > slip.odds ? 'up' : 'down';
  return h(
    'div',
    { class: 'picked' },
    h(
      'div',
      { class: 'picked-text' },
      h('span', { class: 'picked-market' }, words.markets[selection.market]),
      h('b', { class: 'picked-pick' }, pickText(selection, match)),
      h(
        'span',
        { class: 'picked-match' },
        badge(match.home, 'badge badge-small'),
        `${match.home.name} – ${match.away.name}`,
        badge(match.away, 'badge badge-small'),
      ),
    ),
    h('p', { class: `picked-odds figures ${moved}` }, moved && icon(moved, 'odds-arrow'), oddsText(odds)),
  );
}

function placed(slip) {
  const { words } = book;
  const { placed: bet } = slip;
  return h(
    'div',
    { class: 'placed', key: 'placed' },
    h(
      'svg',
      { class: 'stamp', viewBox: '0 0 64 64', 'aria-hidden': 'true' },
      h('circle', { cx: 32, cy: 32, r: 28 }),
      h('path', { d: 'M19 33l9 9 18-20' }),
    ),
    h('p', { class: 'placed-note' }, words.placedNote),
    h(
      'dl',
      { class: 'placed-list' },
      line(pickText(bet, bet.match), oddsText(bet.odds)),
      line(words.stake, money(bet.stake)),
      line(words.returns, money(bet.possible), 'strong'),
    ),
    h('p', { class: 'bill-number figures' }, words.bill(bet.id)),
    h(
      'div',
      { class: 'placed-ways' },
      h('a', { class: 'way', href: '#bets', 'data-act': 'close-slip' }, words.seeBets),
      h('button', { class: 'way way-main', type: 'button', 'data-act': 'close-slip' }, words.goOn),
    ),
  );
}

function line(name, value, kind = '') {
  return h('div', { class: kind }, h('dt', {}, name), h('dd', { class: 'figures' }, value));
}
