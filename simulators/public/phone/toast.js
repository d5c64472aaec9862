import { say } from './state.js';

const box = document.getElementById('toast');
let timer;

/** Says something for a few seconds at the bottom of the phone. */
export function toast(text) {
  box.textContent = text;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    box.hidden = true;
  }, 2600);
}

/** Copies text to the clipboard and confirms it. */
export async function copy(text, words = say('copied')(text)) {
  try {
    await write(text);
    toast(words);
  } catch {
    toast(say('copyFailed'));
  }
}

/** Over plain http from another machine there is no clipboard to write to: the old command copies what is selected. */
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
  document.body.append(field);
  field.select();
  // The only way there is where it is needed.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('the browser does not copy');
}
