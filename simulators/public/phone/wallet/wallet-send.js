import { h, icon } from '../dom.js';
import { amountField, amountOf, labelled, moneyForm } from '../money-form.js';
import { call, phoneShown, say, state } from '../state.js';
import { walletHeading, walletMark, walletOwner, walletScreen, walletSlip } from './wallet.js';

/** Sending money to a phone number. */
export function walletSendScreen() {
  if (!state.number) return walletScreen();
  const number = h('input', {
    id: 'to-phone',
    type: 'tel',
    inputMode: 'tel',
    maxLength: 14,
    required: true,
    autocomplete: 'off',
    placeholder: '0812345678',
  });
  const amount = amountField('wallet-sum');
  const known = h('div', { className: 'choices' });
  void receivers(known, (phone) => {
    number.value = phone;
    amount.focus();
  });
  const button = h('button', { className: 'primary' }, say('sendNow'));
  const send = async () => {
    const sent = await call('POST', '/wallet-app/transfer', {
      from: walletOwner(),
      to: number.value.trim(),
      amount: amountOf(amount),
    });
    state.payment = {
      done: {
        ...sent,
        title: say('sent'),
        receiver: `${sent.to.name} ${phoneShown(sent.to.phone)}`,
        transferId: sent.transactionId,
        ...walletSlip(sent.transactionId),
      },
    };
    location.replace('#/wallet/done');
  };
  return moneyForm(
    button,
    send,
    walletHeading(say('walletSend')),
    known,
    ...labelled('toPhone', number),
    ...labelled('amount', amount),
  );
}

async function receivers(box, choose) {
  const all = await call('GET', '/wallet-app/wallets').catch(() => []);
  const rows = all
    .filter(({ phone }) => phone !== state.number)
    .map(({ phone, name }) => {
      const button = h(
        'button',
        { type: 'button', className: 'choice' },
        walletMark(),
        h('span', {}, h('b', {}, name), h('small', { className: 'figures' }, phoneShown(phone))),
        icon('check'),
      );
      button.addEventListener('click', () => {
        button.classList.add('chosen');
        choose(phone);
      });
      return button;
    });
  box.replaceChildren(...rows);
}
