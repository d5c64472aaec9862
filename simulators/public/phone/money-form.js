import { h } from './dom.js';
import { say, wordsFor } from './state.js';

/** The field of an amount. */
export const amountField = (id, placeholder = '0.00') =>
  h('input', {
    id,
    inputMode: 'decimal',
    required: true,
    autocomplete: 'off',
    placeholder,
    className: 'figures big',
  });

/** What was typed, without the commas between thousands. */
export const amountOf = (field) => field.value.trim().replace(/,/g, '');

/**
 * A form that moves money once: its button is off while the call is in flight, and a failure is said above it.
 * @param button with its words; it submits the form
 * @param send makes the call and leads on; throws the failure
 * @param content of the form, above the button
 */
export function moneyForm(button, send, ...content) {
  const problem = h('p', { className: 'problem', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    button.disabled = true;
    try {
      await send();
    } catch (error) {
      problem.textContent = wordsFor(error);
      // Without an answer the outcome is unknown: sending again from here could pay twice.
      button.disabled = error.code === 'silent';
    }
  };
  return h('form', { className: 'sheet form', onsubmit: (event) => void submit(event) }, ...content, problem, button);
}

/** The label and the field of an amount to send. */
export const labelled = (words, field) => [h('label', { htmlFor: field.id }, say(words)), field];
