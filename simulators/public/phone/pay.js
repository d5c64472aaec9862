import { dateOf } from '../when.js';
import { heading, mark } from './bank.js';
import { h, icon } from './dom.js';
import { scanScreen } from './scan-screen.js';
import { account, accountShown, call, money, say, state, unit, wordsFor } from './state.js';

const line = (label, ...value) => h('div', { className: 'line' }, h('dt', {}, label), h('dd', {}, ...value));

/** What will be paid to whom, before it is. */
export function confirmScreen() {
  if (!state.payment?.seen) return scanScreen();
  const { payload, seen } = state.payment;
  const own = account();
  const problem = h('p', { className: 'problem', role: 'alert' });
  const button = h('button', { type: 'button', className: 'primary' }, say('payNow'));
  button.addEventListener('click', async () => {
    button.disabled = true;
    button.textContent = say('paying');
    try {
      const paid = await call('POST', '/bank/pay-qr', { payload, from: own });
      state.payment = {
        done: { ...paid, title: say('done'), receiver: paid.payee, at: paid.paidAt, reference: paid.reference1 },
      };
      location.replace('#/bank/done');
    } catch (error) {
      problem.textContent = wordsFor(error);
      // Without an answer the outcome is unknown: paying again from here could pay twice.
      button.disabled = error.code === 'silent';
      button.textContent = say('payNow');
    }
  });
  return h(
    'div',
    { className: 'sheet confirm' },
    heading(say('confirm'), '#/bank/scan'),
    h('p', { className: 'ask-sum figures' }, money(seen.amount), h('small', {}, unit(seen.currency))),
    h(
      'dl',
      {},
      line(say('payee'), h('b', {}, seen.payee)),
      line(say('orderRef'), h('span', { className: 'figures' }, seen.reference1)),
      line(
        say('from'),
        mark(own.bankCode),
        h('span', {}, own.accountName, h('small', { className: 'figures' }, accountShown(own.accountNo))),
      ),
    ),
    problem,
    button,
  );
}

/** The slip of a payment or a transfer, of a bank or of the wallet app. */
export function doneScreen() {
  const done = state.payment?.done;
  if (!done) return scanScreen();
  const own = account();
  const payer = done.payer ?? {
    mark: mark(own.bankCode),
    name: own.accountName,
    number: accountShown(own.accountNo),
  };
  const time = dateOf(done.at, state.language);
  const path = done.slip ?? `/bank/slips/${encodeURIComponent(done.transferId)}`;
  return h(
    'div',
    { className: 'sheet done' },
    h(
      'article',
      { className: 'slip' },
      h('span', { className: 'tick' }, icon('check')),
      h('h1', {}, done.title),
      h('p', { className: 'quiet' }, time),
      h('p', { className: 'ask-sum figures' }, money(done.amount), h('small', {}, unit(done.currency))),
      h(
        'dl',
        {},
        line(say('from'), payer.mark, h('span', {}, payer.name, h('small', { className: 'figures' }, payer.number))),
        line(say('to'), h('b', {}, done.receiver)),
        done.reference && line(say('orderRef'), h('span', { className: 'figures' }, done.reference)),
        line(say('reference'), h('span', { className: 'figures small' }, done.transferId)),
      ),
      h('img', { src: `${path}.svg`, alt: 'QR', width: 112, height: 112 }),
    ),
    h(
      'div',
      { className: 'pair' },
      h(
        'a',
        { className: 'secondary', href: `${path}.png`, download: `slip-${done.transferId}.png` },
        icon('save'),
        say('slip'),
      ),
      h('a', { className: 'primary', href: done.home ?? '#/bank' }, say('finish')),
    ),
  );
}
