import { heading, mark } from './bank.js';
import { h, icon } from './dom.js';
import { account, accountShown, bankName, call, say, state, wordsFor } from './state.js';

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
  const amount = h('input', {
    id: 'to-sum',
    inputMode: 'decimal',
    required: true,
    autocomplete: 'off',
    placeholder: '0.00',
    className: 'figures big',
  });
  const problem = h('p', { className: 'problem', role: 'alert' });
  const known = h('div', { className: 'choices' });
  void receivers(known, (one) => {
    bank.value = one.bankCode;
    number.value = one.accountNo;
    amount.focus();
  });
  const button = h('button', { className: 'primary' }, say('transferNow'));
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    button.disabled = true;
    try {
      const to = { bankCode: bank.value, accountNo: number.value.trim() };
      const made = await call('POST', '/bank/transfer', {
        from: own,
        to,
        amount: amount.value.trim().replace(/,/g, ''),
      });
      state.payment = {
        done: { ...made, title: say('sent'), receiver: `${made.to.accountName} ${made.to.accountNo}` },
      };
      location.replace('#/bank/done');
    } catch (error) {
      problem.textContent = wordsFor(error);
      button.disabled = error.code === 'silent';
    }
  };
  return h(
    'form',
    { className: 'sheet form', onsubmit: (event) => void submit(event) },
    heading(say('transfer')),
    h('h2', {}, say('chooseReceiver')),
    known,
    h('h2', {}, say('receiverOther')),
    h('label', { htmlFor: 'to-bank' }, say('chooseBank')),
    bank,
    h('label', { htmlFor: 'to-no' }, say('accountNo')),
    number,
    h('label', { htmlFor: 'to-sum' }, say('amount')),
    amount,
    problem,
    button,
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
