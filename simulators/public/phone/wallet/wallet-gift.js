import { dateOf } from '../../when.js';
import { h, icon } from '../dom.js';
import { amountField, amountOf, labelled, moneyForm } from '../money-form.js';
import { call, money, say, state } from '../state.js';
import { copy } from '../toast.js';
import { walletHeading, walletOwner, walletScreen } from './wallet.js';

const MOST_MEMBERS = 100;

/** Putting money into a link. */
export function walletGiftScreen() {
  if (!state.number) return walletScreen();
  const amount = amountField('gift-sum', '100.00');
  const members = h('input', {
    id: 'gift-members',
    type: 'number',
    inputMode: 'numeric',
    min: '1',
    max: String(MOST_MEMBERS),
    value: '1',
    required: true,
    className: 'figures',
  });
  const button = h('button', { className: 'primary' }, icon('gift'), say('giftMake'));
  const send = async () => {
    state.gift = await call('POST', '/wallet-app/gift', {
      from: walletOwner(),
      amount: amountOf(amount),
      members: Number(members.value),
    });
    location.replace('#/wallet/gift-ready');
  };
  return moneyForm(
    button,
    send,
    walletHeading(say('walletGift')),
    h('p', { className: 'quiet' }, say('giftHint')),
    ...labelled('giftAmount', amount),
    ...labelled('giftMembers', members),
  );
}

/** The link, to be copied. */
export function giftReadyScreen() {
  const gift = state.gift;
  if (!gift) return walletGiftScreen();
  const until = dateOf(gift.expiresAt, state.language);
  return h(
    'div',
    { className: 'sheet gift-ready' },
    h(
      'article',
      { className: 'envelope' },
      icon('gift'),
      h('h1', {}, say('giftReady')),
      h('p', { className: 'ask-sum figures' }, money(gift.amount), h('small', {}, say('baht'))),
      gift.members > 1 && h('p', {}, `${gift.members} × ${say('giftEach')(money(gift.share))}`),
      h('p', { className: 'until' }, `${say('giftUntil')} ${until}`),
    ),
    h('h2', {}, say('giftLink')),
    h('p', { className: 'gift-link figures' }, gift.link),
    h(
      'button',
      { type: 'button', className: 'primary', onclick: () => void copy(gift.link, say('linkCopied')) },
      icon('copy'),
      say('copyLink'),
    ),
    h('a', { className: 'secondary', href: '#/wallet' }, say('finish')),
  );
}
