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

/** Puts text on the clipboard and says so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(say('copied')(text));
  } catch {
    toast(say('copyFailed'));
  }
}
