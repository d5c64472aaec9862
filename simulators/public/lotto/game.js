import { languageAsked } from '../language.js';
import { WORDS } from './words.js';

const provider = location.pathname.split('/')[2];
const query = new URLSearchParams(location.search);
const headers = { authorization: `Bearer ${query.get('ops') ?? ''}`, 'content-type': 'application/json' };

/** What isn't answered by then is asked for again. */
const PATIENCE_MS = 10_000;

/** State of the page: from the server, or typed by the member. Money in satang. */
export const game = {
  words: WORDS[languageAsked()],
  language: languageAsked(),
  balance: 0,
  outstanding: 0,
  draw: undefined,
  last: null,
  rules: new Map(),
  kinds: [],
  stakes: { step: 100, least: 100, most: 500_000, lines: 60 },
  /** How far the server's clock is ahead of this one. */
  ahead: 0,
  chosen: new Set(['top3']),
  typed: '',
  stake: 1_000,
  reversed: false,
  lines: [],
  /** A slip that was sent and not answered: it keeps its key, so that asking again can't buy twice. */
  pending: undefined,
  trouble: '',
  isOver: false,
  returnUrl: null,
};

export const now = () => Date.now() + game.ahead;
export const isOpen = () => Boolean(game.draw) && now() < game.draw.closesAt;
export const total = () => game.lines.reduce((sum, line) => sum + line.stake, 0);

/** Asks the server. @throws Error with its code; `unreachable` when nothing was answered */
export async function call(path, body) {
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const options = { headers, signal: AbortSignal.timeout(PATIENCE_MS), ...post };
  const response = await fetch(`/games/${provider}/lotto/${path}`, options).catch(() => {
    throw Object.assign(new Error('unreachable'), { code: 'unreachable' });
  });
  if (response.ok) return response.json();
  const { error = 'unknown' } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error), { code: error });
}
