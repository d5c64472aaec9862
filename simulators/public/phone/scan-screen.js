import { heading } from './bank.js';
import { h, icon } from './dom.js';
import { readClipboard, readPicture } from './scan.js';
import { call, say, state, wordsFor } from './state.js';

/** Scanning: a picture picked, pasted or dropped, or the text of the code. */
export function scanScreen() {
  const text = h('textarea', { id: 'payload', rows: 3, spellcheck: false, placeholder: '000201…' });
  const problem = h('p', { className: 'problem', role: 'alert' });
  const picture = async (blob) => {
    if (!blob) return;
    problem.textContent = '';
    const code = await readPicture(blob);
    if (code) await look(code, problem);
    else problem.textContent = say('noQr');
  };
  const paste = async () => {
    const got = await readClipboard().catch(() => ({}));
    if (got.text) text.value = got.text;
    const code = got.code ?? got.text;
    if (code) await look(code, problem);
    else problem.textContent = 'code' in got ? say('noQr') : say('clipboardEmpty');
  };
  const root = h(
    'div',
    { className: 'sheet scan' },
    heading(say('scan')),
    finder(picture),
    h(
      'div',
      { className: 'pair' },
      picker(picture),
      // A page that came over plain http from another machine may not read the clipboard.
      navigator.clipboard?.read && button('secondary', () => void paste(), icon('paste'), say('paste')),
    ),
    problem,
    h('label', { htmlFor: 'payload' }, say('orText')),
    text,
    button('primary', () => void look(text.value.trim(), problem), say('read')),
  );
  listenForPaste(root, picture);
  return root;
}

const button = (className, onclick, ...content) => h('button', { type: 'button', className, onclick }, content);

/** The field that takes a dropped picture. */
function finder(picture) {
  const field = h(
    'div',
    { className: 'finder', tabIndex: 0 },
    icon('scan'),
    h('b', {}, say('dropTitle')),
    h('span', {}, say('dropHint')),
  );
  field.addEventListener('dragover', (event) => {
    event.preventDefault();
    field.classList.add('over');
  });
  field.addEventListener('dragleave', () => field.classList.remove('over'));
  field.addEventListener('drop', (event) => {
    event.preventDefault();
    field.classList.remove('over');
    void picture(event.dataTransfer.files[0]);
  });
  return field;
}

function picker(picture) {
  const file = h('input', { type: 'file', accept: 'image/*', hidden: true });
  file.addEventListener('change', () => void picture(file.files[0]));
  return [file, button('secondary', () => file.click(), icon('picture'), say('pick'))];
}

/** Takes a pasted image wherever the focus is, while the screen is open. */
function listenForPaste(root, picture) {
  const listener = (event) => {
    if (!root.isConnected) {
      document.removeEventListener('paste', listener);
      return;
    }
    const blob = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'));
    if (!blob) return;
    event.preventDefault();
    void picture(blob);
  };
  document.addEventListener('paste', listener);
}

async function look(payload, problem) {
  problem.textContent = '';
  try {
    const seen = await call('POST', '/bank/read-qr', { payload });
    if (seen.status !== 'REQUESTED') throw Object.assign(new Error(), { code: `qr_${seen.status.toLowerCase()}` });
    state.payment = { payload, seen };
    location.hash = '#/bank/confirm';
  } catch (error) {
    problem.textContent = wordsFor(error);
  }
}
