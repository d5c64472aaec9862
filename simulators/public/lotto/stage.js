import { ball, drum, PLACES } from './balls.js';
import { game } from './game.js';
import { find, make, still } from './make.js';
import { money } from './money.js';
import { tray } from './paper.js';

const BALL_MS = 620;
/** Time until a result without a win makes room for the counter. */
const SHOWN_MS = 15_000;
let shown = '';
/** Which draw is being shown: a later one takes the stage from an earlier one. */
let turn = 0;

const wait = (ms) => new Promise((done) => setTimeout(done, still.matches ? 0 : ms));

function put(name, ...parts) {
  shown = name;
  find('stage').hidden = name === '';
  find('selling').hidden = name !== '';
  document.body.classList.toggle('drawing', name !== '');
  find('stage').replaceChildren(...parts);
}

export const stageShows = () => shown;

/** Betting is closed: the balls tumble. */
export function showTumbling() {
  if (shown === 'tumbling' || shown === 'drawing') return;
  put(
    'tumbling',
    make('h2', {}, game.words.soon),
    drum(),
    make(
      'div',
      { class: 'tray plain' },
      make(
        'div',
        { class: 'six' },
        PLACES.map(() => ball()),
      ),
    ),
  );
}

/** The balls come one after another; then what they mean. @param winOf asks what the member's own tickets of this draw won */
export async function showDraw(last, winOf) {
  const { words } = game;
  turn += 1;
  const current = turn;
  const six = make(
    'div',
    { class: 'six' },
    PLACES.map(() => ball()),
  );
  put(
    'drawing',
    make('h2', {}, `${words.drawing} · ${words.draw(last.number)}`),
    drum(),
    make('div', { class: 'tray plain' }, six),
  );
  const asked = winOf().catch(() => undefined);
  await wait(700);
  for (const [at, digit] of [...last.result].entries()) {
    const fresh = ball(digit, PLACES[at]);
    fresh.classList.add('drop');
    six.children[at].replaceWith(fresh);
    await wait(BALL_MS);
  }
  await wait(500);
  const won = await asked;
  if (current === turn) showResult(last, won);
}

function showResult(last, win) {
  const { words } = game;
  const verdict =
    win === undefined
      ? make('p', { class: 'verdict' }, words.noBet)
      : win > 0
        ? make('p', { class: 'verdict won' }, words.youWon(money(win)))
        : make('p', { class: 'verdict' }, words.youLost);
  put(
    'result',
    make('h2', {}, words.result(last.number)),
    tray(last.result),
    verdict,
    make('button', { type: 'button', class: 'buy', onclick: leaveStage }, words.next),
  );
  const current = turn;
  if (!win) {
    setTimeout(() => {
      if (current === turn && shown === 'result') leaveStage();
    }, SHOWN_MS);
  }
}

export function leaveStage() {
  turn += 1;
  put('');
}
