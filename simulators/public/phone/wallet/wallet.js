import { momentOf } from '../../when.js';
import { heading } from '../bank.js';
import { h, icon } from '../dom.js';
import { numberScreen } from '../messages.js';
import { account, call, money, phoneShown, say, state, wordsFor } from '../state.js';

const changed = () => dispatchEvent(new Event('phone-changed'));

/** Who owns the wallet on this phone: its number, under the name of its bank account when there is one. */
export function walletOwner() {
  const name = account()?.accountName;
  return { phone: state.number, ...(name ? { name } : {}) };
}

/** The mark of the wallet app. */
export const walletMark = () => h('span', { className: 'mark wallet-mark', 'aria-hidden': 'true' }, icon('wallet'));

/** Balance of the wallet, its actions and its history. */
export function walletScreen() {
  if (!state.number) return numberScreen({ title: say('wallet'), hint: say('walletNumberHint'), next: '#/wallet' });
  const balance = h('p', { className: 'sum figures' }, '–');
  const list = h('section', { className: 'transfers' }, h('p', { className: 'quiet' }, say('loading')));
  void load(balance, list);
  return h(
    'div',
    { className: 'bank-home wallet-home' },
    h(
      'section',
      { className: 'purse' },
      h(
        'header',
        {},
        h('a', { href: '#/', className: 'round', 'aria-label': say('home') }, icon('back')),
        h('h1', {}, say('wallet')),
        walletMark(),
      ),
      h('p', { className: 'label' }, say('walletBalance')),
      balance,
      h('p', { className: 'owner figures' }, phoneShown(state.number)),
    ),
    h(
      'div',
      { className: 'actions two' },
      h('a', { href: '#/wallet/send' }, h('span', {}, icon('transfer')), say('walletSend')),
      h('a', { href: '#/wallet/gift' }, h('span', {}, icon('gift')), say('walletGift')),
    ),
    h('h2', {}, say('walletRecent')),
    list,
  );
}

async function load(balance, list) {
  try {
    await call('POST', '/wallet-app/wallets', walletOwner());
    const seen = await call('GET', `/wallet-app/wallets/${encodeURIComponent(state.number)}`);
    balance.textContent = money(seen.balance);
    list.replaceChildren(...(seen.transactions.length > 0 ? seen.transactions.map(row) : [nothing()]));
  } catch (error) {
    list.replaceChildren(
      h(
        'div',
        { className: 'empty' },
        h('p', {}, error.code === 'offline' ? say('walletOffline') : wordsFor(error)),
        h('button', { type: 'button', className: 'secondary', onclick: changed }, say('retry')),
      ),
    );
  }
}

function nothing() {
  return h(
    'div',
    { className: 'empty' },
    icon('gift'),
    h('h2', {}, say('walletNothing')),
    h('p', {}, say('walletNothingHint')),
  );
}

function row({ transactionId, type, direction, amount, at, other }) {
  const time = momentOf(at, state.language);
  const words = say('moved')[type][direction];
  const hasSlip = type === 'P2P' && direction === 'out';
  const showSlip = () => {
    state.payment = {
      done: {
        title: say('sent'),
        at,
        amount,
        receiver: `${other.name} ${phoneShown(other.phone)}`,
        transferId: transactionId,
        ...walletSlip(transactionId),
      },
    };
    location.hash = '#/wallet/done';
  };
  return h(
    hasSlip ? 'button' : 'article',
    hasSlip
      ? { type: 'button', className: `transfer ${direction}`, 'aria-description': say('openSlip'), onclick: showSlip }
      : { className: `transfer ${direction}` },
    walletMark(),
    h('div', {}, h('b', {}, other ? `${words} ${other.name}` : words), h('span', {}, time)),
    // The giver paid when creating the gift, not when it is claimed.
    h('p', { className: 'figures' }, `${direction === 'in' ? '+' : type === 'GIFT' ? '' : '−'}${money(amount)}`),
  );
}

/** What the screen of a finished transfer needs to know of the wallet. */
export function walletSlip(transactionId) {
  return {
    slip: `/wallet-app/slips/${encodeURIComponent(transactionId)}`,
    home: '#/wallet',
    payer: { mark: walletMark(), name: walletOwner().name ?? say('wallet'), number: phoneShown(state.number) },
  };
}

/** A heading of the wallet app. */
export const walletHeading = (text) => heading(text, '#/wallet');
