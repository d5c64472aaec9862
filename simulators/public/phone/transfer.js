import { heading, mark } from './bank.js';
import { h, icon } from './dom.js';
import { amountField, amountOf, labelled, moneyForm } from './money-form.js';
import { account, accountShown, bankName, call, say, state } from './state.js';

/** Sending money to another account: a known one, or any number. */
export function transferScreen() {
  const own = account();
  const bank = h(
    'select',
    { id: 'to-bank' },
    state.banks.map(({ code }) => h('option', { value: code }, `${code} ${bankName(code)}`)),
  );
  const number = h('input', {
    id: 'to-no',
    inputMode: 'numeric',
    maxLength: 15,
    required: true,
    autocomplete: 'off',
    placeholder: '1234567890',
  });
  const amount = amountField('to-sum');
  const known = h('div', { className: 'choices' });
  void receivers(known, (one) => {
    bank.value = one.bankCode;
    number.value = one.accountNo;
    amount.focus();
  });
  const button = h('button', { className: 'primary' }, say('transferNow'));
  const send = async () => {
    const to = { bankCode: bank.value, accountNo: number.value.trim() };
    const made = await call('POST', '/bank/transfer', { from: own, to, amount: amountOf(amount) });
    state.payment = {
      done: { ...made, title: say('sent'), receiver: `${made.to.accountName} ${made.to.accountNo}` },
    };
    location.replace('#/bank/done');
  };
  return moneyForm(
    button,
    send,
    heading(say('transfer')),
    h('h2', {}, say('chooseReceiver')),
    known,
    h('h2', {}, say('receiverOther')),
    ...labelled('chooseBank', bank),
    ...labelled('accountNo', number),
    ...labelled('amount', amount),
  );
}

async function receivers(box, choose) {
  const own = account();
  const all = await call('GET', '/bank/accounts').catch(() => []);
  const others = all.filter(
    ({ owner, bankCode, accountNo, currency }) =>
      owner === 'operator' &&
      (own.currency === undefined || currency === own.currency) &&
      (bankCode !== own.bankCode || accountNo !== own.accountNo),
  );
  const rows = others.map((one) => {
    const button = h(
      'button',
      { type: 'button', className: 'choice' },
      mark(one.bankCode),
      h(
        'span',
        {},
        h('b', {}, one.accountName),
        h('small', { className: 'figures' }, `${bankName(one.bankCode)} ${accountShown(one.accountNo)}`),
      ),
      icon('check'),
    );
    button.addEventListener('click', () => {
      for (const each of box.children) each.classList.toggle('chosen', each === button);
      choose(one);
    });
    return button;
  });
  box.replaceChildren(...(rows.length > 0 ? rows : [h('p', { className: 'quiet' }, say('noReceivers'))]));
}
