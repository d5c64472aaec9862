import { heading, mark } from './bank.js';
import { h } from './dom.js';
import { account, bankName, call, keep, say, state, wordsFor } from './state.js';
import { toast } from './toast.js';

/** Opening an account: the bank, the number, the name. */
export function newAccountScreen() {
  let chosen = state.banks[0]?.code ?? 'KBANK';
  const number = h('input', {
    id: 'account-no',
    inputMode: 'numeric',
    pattern: '[0-9]{10,15}',
    maxLength: 15,
    required: true,
    autocomplete: 'off',
    placeholder: '1234567890',
  });
  const name = h('input', {
    id: 'account-name',
    required: true,
    maxLength: 100,
    autocomplete: 'off',
    placeholder: say('accountNameExample'),
  });
  const grid = bankGrid(chosen, (code) => {
    chosen = code;
  });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const { bankCode, accountNo, accountName } = await call('POST', '/bank/accounts', {
        bankCode: chosen,
        accountNo: number.value.trim(),
        accountName: name.value.trim(),
      });
      state.accounts = [
        ...state.accounts.filter((one) => one.bankCode !== bankCode || one.accountNo !== accountNo),
        { bankCode, accountNo, accountName },
      ];
      state.current = state.accounts.length - 1;
      keep();
      location.hash = '#/bank';
      dispatchEvent(new Event('phone-changed'));
    } catch (error) {
      toast(wordsFor(error));
    }
  };
  return h(
    'form',
    { className: 'sheet form', onsubmit: (event) => void submit(event) },
    heading(say('openAccount'), account() ? '#/bank/accounts' : '#/'),
    h('p', { className: 'quiet' }, say('openAccountHint')),
    grid,
    h('label', { htmlFor: 'account-no' }, say('accountNo')),
    number,
    h('label', { htmlFor: 'account-name' }, say('accountName')),
    name,
    h('button', { className: 'primary' }, say('openAccount')),
  );
}

/** The banks to choose from, by their marks. */
function bankGrid(chosen, choose) {
  const buttons = state.banks.map(({ code }) => {
    const button = h('button', { type: 'button', role: 'radio' }, mark(code), bankName(code));
    button.addEventListener('click', () => {
      choose(code);
      show(code);
    });
    return button;
  });
  const show = (code) => {
    for (const [index, button] of buttons.entries()) {
      const isChosen = state.banks[index].code === code;
      button.classList.toggle('chosen', isChosen);
      button.setAttribute('aria-checked', String(isChosen));
    }
  };
  show(chosen);
  return h('div', { className: 'banks', role: 'radiogroup', 'aria-label': say('chooseBank') }, buttons);
}
