import { momentOf } from '../when.js';
import { h, icon } from './dom.js';
import { account, accountShown, bankName, bankOf, call, keep, money, say, state, unit, wordsFor } from './state.js';
import { toast } from './toast.js';

const CASH = { BAHT: '10000.00', LAK: '5000000.00' };
const changed = () => dispatchEvent(new Event('phone-changed'));

/** The letter mark of a bank in its colour. */
export function mark(code) {
  return h('span', { className: 'mark', tint: bankOf(code).color, 'aria-hidden': 'true' }, code.slice(0, 5));
}

/** A bank screen's heading with a way back. */
export function heading(text, back = '#/bank') {
  return h(
    'header',
    { className: 'title' },
    h('a', { href: back, className: 'round', 'aria-label': say('back') }, icon('back')),
    h('h1', {}, text),
  );
}

/** The account that the phone pays from. */
export function bankScreen() {
  const own = account();
  const balance = h('p', { className: 'sum figures' }, '–');
  const list = h('section', { className: 'transfers' }, h('p', { className: 'quiet' }, say('loading')));
  void load(own, balance, list);
  return h(
    'div',
    { className: 'bank-home', tint: bankOf(own.bankCode).color },
    h(
      'section',
      { className: 'purse' },
      h(
        'header',
        {},
        h('a', { href: '#/', className: 'round', 'aria-label': say('home') }, icon('back')),
        h('h1', {}, bankName(own.bankCode)),
        mark(own.bankCode),
      ),
      h(
        'a',
        { href: '#/bank/accounts', className: 'who' },
        h('b', {}, own.accountName),
        h('span', { className: 'figures' }, accountShown(own.accountNo)),
        icon('down'),
      ),
      h('p', { className: 'label' }, say('balance')),
      balance,
    ),
    h(
      'div',
      { className: 'actions' },
      h('a', { href: '#/bank/scan' }, h('span', {}, icon('scan')), say('scan')),
      h('a', { href: '#/bank/transfer' }, h('span', {}, icon('transfer')), say('transfer')),
      h('button', { type: 'button', onclick: () => void payIn(own) }, h('span', {}, icon('cash')), say('cash')),
    ),
    h('h2', {}, say('recent')),
    list,
  );
}

async function load(own, balance, list) {
  try {
    const seen = await call('GET', `/bank/accounts/${own.bankCode}/${own.accountNo}`).catch((error) => {
      // The outside was emptied: the account is opened again, as a bank would find it.
      if (error.code === 'unknown_account')
        return call('POST', '/bank/accounts', own).then((opened) => ({ ...opened, transfers: [] }));
      throw error;
    });
    own.currency = seen.currency;
    balance.textContent = inKip(money(seen.balance), seen.currency);
    list.replaceChildren(...(seen.transfers.length > 0 ? seen.transfers.map(row) : [nothing()]));
  } catch (error) {
    list.replaceChildren(
      h(
        'div',
        { className: 'empty' },
        h('p', {}, wordsFor(error)),
        h('button', { type: 'button', className: 'secondary', onclick: changed }, say('retry')),
      ),
    );
  }
}

function nothing() {
  return h(
    'div',
    { className: 'empty' },
    icon('transfer'),
    h('h2', {}, say('noTransfers')),
    h('p', {}, say('noTransfersHint')),
  );
}

// Baht needs no sign here: it is what a bank app shows unless it says otherwise.
const inKip = (text, currency) => (currency === 'LAK' ? `${text} ₭` : text);

function row({ transferId, direction, kind, amount, currency, at, other, reference }) {
  const verb = direction === 'in' ? say('gotFrom') : kind === 'pay-qr' ? say('paidTo') : say('sentTo');
  const time = momentOf(at, state.language);
  // Like in a real app, the slip of a transfer can be opened and saved again later.
  const showSlip = () => {
    const title = kind === 'pay-qr' ? say('done') : say('sent');
    const receiver = `${other.accountName} ${other.accountNo}`;
    state.payment = { done: { title, at, amount, currency, receiver, transferId, reference } };
    location.hash = '#/bank/done';
  };
  return h(
    direction === 'out' ? 'button' : 'article',
    direction === 'out'
      ? { type: 'button', className: 'transfer out', 'aria-description': say('openSlip'), onclick: showSlip }
      : { className: 'transfer in' },
    mark(other.bankCode),
    h(
      'div',
      {},
      h('b', {}, `${verb} ${other.accountName}`),
      h('span', {}, [time, reference].filter(Boolean).join(' · ')),
    ),
    h('p', { className: 'figures' }, inKip(`${direction === 'in' ? '+' : '−'}${money(amount)}`, currency)),
  );
}

async function payIn(own) {
  try {
    const amount = CASH[own.currency] ?? CASH.BAHT;
    await call('POST', `/bank/accounts/${own.bankCode}/${own.accountNo}/cash`, { amount });
    toast(say('cashed')(`${money(amount)} ${unit(own.currency)}`));
    changed();
  } catch (error) {
    toast(wordsFor(error));
  }
}

/** Choosing between the accounts of this phone. */
export function accountsScreen() {
  const choose = (index) => {
    state.current = index;
    keep();
    location.hash = '#/bank';
  };
  return h(
    'div',
    { className: 'sheet' },
    heading(say('otherAccounts')),
    h(
      'div',
      { className: 'choices' },
      state.accounts.map((one, index) =>
        h(
          'button',
          {
            type: 'button',
            className: `choice ${index === state.current ? 'chosen' : ''}`,
            onclick: () => choose(index),
          },
          mark(one.bankCode),
          h(
            'span',
            {},
            h('b', {}, one.accountName),
            h('small', { className: 'figures' }, `${bankName(one.bankCode)} ${accountShown(one.accountNo)}`),
          ),
          index === state.current && icon('check'),
        ),
      ),
      h('a', { href: '#/bank/new', className: 'choice add' }, icon('plus'), say('addAccount')),
    ),
  );
}
