import { h, icon } from '../dom.js';
import { call, phoneShown, say, state, wordsFor } from '../state.js';
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
  const amount = h('input', {
    id: 'wallet-sum',
    inputMode: 'decimal',
    required: true,
    autocomplete: 'off',
    placeholder: '0.00',
    className: 'figures big',
  });
  const problem = h('p', { className: 'problem', role: 'alert' });
  const known = h('div', { className: 'choices' });
  void receivers(known, (phone) => {
    number.value = phone;
    amount.focus();
  });
  const button = h('button', { className: 'primary' }, say('sendNow'));
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    button.disabled = true;
    try {
      const sent = await call('POST', '/wallet-app/transfer', {
        from: walletOwner(),
        to: number.value.trim(),
        amount: amount.value.trim().replace(/,/g, ''),
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
    } catch (error) {
      problem.textContent = wordsFor(error);
      // Without an answer the outcome is unknown: sending again from here could pay twice.
      button.disabled = error.code === 'silent';
    }
  };
  return h(
    'form',
    { className: 'sheet form', onsubmit: (event) => void submit(event) },
    walletHeading(say('walletSend')),
    known,
    h('label', { htmlFor: 'to-phone' }, say('toPhone')),
    number,
    h('label', { htmlFor: 'wallet-sum' }, say('amount')),
    amount,
    problem,
    button,
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
