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

/** Puts text on the clipboard and says so, by itself or in other words. */
export async function copy(text, words = say('copied')(text)) {
  try {
    await navigator.clipboard.writeText(text);
    toast(words);
  } catch {
    toast(say('copyFailed'));
  }
}
