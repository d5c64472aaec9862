import { markLanguage } from '../language.js';
import { timeOf, weekdayOf } from '../when.js';
import { accountsScreen, bankScreen } from './bank.js';
import { h, icon } from './dom.js';
import { guide, languages } from './guide.js';
import { connect, homeCards, messagesScreen, numberScreen } from './messages.js';
import { newAccountScreen } from './open-account.js';
import { confirmScreen, doneScreen } from './pay.js';
import { scanScreen } from './scan-screen.js';
import { account, call, say, state } from './state.js';
import { transferScreen } from './transfer.js';
import { giftReadyScreen, walletGiftScreen } from './wallet/wallet-gift.js';
import { walletSendScreen } from './wallet/wallet-send.js';
import { walletScreen } from './wallet/wallet.js';

const screen = document.getElementById('screen');
const SCREENS = {
  '': homeScreen,
  messages: () => (state.number ? messagesScreen() : numberScreen()),
  number: numberScreen,
  bank: () => (account() ? bankScreen() : newAccountScreen()),
  'bank/accounts': accountsScreen,
  'bank/new': newAccountScreen,
  'bank/scan': scanScreen,
  'bank/confirm': confirmScreen,
  'bank/transfer': transferScreen,
  'bank/done': doneScreen,
  wallet: walletScreen,
  'wallet/send': walletSendScreen,
  'wallet/gift': walletGiftScreen,
  'wallet/gift-ready': giftReadyScreen,
  'wallet/done': doneScreen,
};

function appIcon(href, name, label) {
  return h('a', { href, className: `app ${name}` }, h('span', { className: 'tile' }, icon(name)), label);
}

function homeScreen() {
  return h(
    'div',
    { className: 'home' },
    h('h1', { className: 'date' }, weekdayOf(Date.now(), state.language)),
    h('p', { className: 'time figures' }, clock()),
    h(
      'div',
      { className: 'cards' },
      homeCards(),
      h('div', { className: 'guide' }, guide({ isOpen: state.number === '' })),
    ),
    h(
      'div',
      { className: 'dock' },
      appIcon('#/messages', 'message', say('messages')),
      appIcon('#/bank', 'bank', say('bank')),
      appIcon('#/wallet', 'wallet', say('wallet')),
    ),
  );
}

const clock = () => timeOf(Date.now());

/** Draws the screen that the address names. */
export function show() {
  const name = location.hash.replace(/^#\/?/, '');
  const draw = SCREENS[name] ?? homeScreen;
  screen.className = `screen ${name.split('/')[0] || 'at-home'}`;
  screen.replaceChildren(draw());
  screen.scrollTop = 0;
  document.querySelector('.device').classList.toggle('dark', draw === homeScreen);
}

function speak() {
  markLanguage(state.language);
  document.title = say('title');
  document.getElementById('caption-title').textContent = say('title');
  document.getElementById('caption-text').textContent = say('caption');
  document.getElementById('caption-guide').replaceChildren(...guide());
  const choices = document.getElementById('languages');
  choices.setAttribute('aria-label', say('languages'));
  choices.replaceChildren(...languages(speakAnew));
  document.getElementById('gesture').setAttribute('aria-label', say('home'));
}

function tick() {
  document.getElementById('clock').textContent = clock();
  const big = screen.querySelector('.home .time');
  if (big) big.textContent = clock();
}

function speakAnew() {
  speak();
  show();
  document.querySelector('#languages [aria-pressed=true]').focus();
}

async function begin() {
  speak();
  tick();
  setInterval(tick, 5000);
  addEventListener('hashchange', show);
  addEventListener('phone-changed', show);
  [state.banks, state.links] = await Promise.all([
    call('GET', '/bank/list').catch(() => []),
    call('GET', '/phone/links').catch(() => ({})),
  ]);
  speak();
  show();
  if (state.number) void connect();
}

void begin();
