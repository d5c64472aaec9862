import { languageAsked, markLanguage } from '../language.js';
import { WORDS } from './words/words.js';

const query = new URLSearchParams(location.search);
const provider = location.pathname.split('/')[2];
const headers = { authorization: `Bearer ${query.get('ops') ?? ''}`, 'content-type': 'application/json' };

/** What isn't answered by then is asked for again. */
const PATIENCE_MS = 10_000;

/** What the page knows. Money in satang, odds in hundredths. */
export const book = {
  words: WORDS[languageAsked()],
  language: languageAsked(),
  board: undefined,
  /** The open match with all its markets. */
  match: undefined,
  matchId: undefined,
  bets: undefined,
  betsShown: 'open',
  view: 'matches',
  slip: undefined,
  /** The match that the slip is about, whole. */
  slipMatch: undefined,
  /** `over` (the session), `offline`, or nothing. */
  problem: undefined,
  /** Difference of the server's clock to this one. */
  ahead: 0,
};

export function speak(language) {
  book.language = language;
  book.words = WORDS[language];
  markLanguage(language);
}

/** The server's time. */
export function now() {
  return Date.now() + book.ahead;
}

/** Calls the sports book. @throws Error with `code` (`offline` when there was no answer) and the answer's `odds` */
export async function call(path, body) {
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const init = { headers, signal: AbortSignal.timeout(PATIENCE_MS), ...post };
  const response = await fetch(`/games/${provider}/sports/${path}`, init).catch(() => undefined);
  const reply = response?.ok ? await response.json().catch(() => undefined) : undefined;
  if (reply) return reply;
  const answer = (await response?.json().catch(() => undefined)) ?? {};
  const code = response && response.status < 500 ? (answer.error ?? 'offline') : 'offline';
  throw Object.assign(new Error(code), { code, odds: answer.odds });
}

export function isLive({ phase }) {
  return phase === 'first' || phase === 'break' || phase === 'second';
}

export function isOver({ phase }) {
  return phase === 'finished' || phase === 'called-off';
}

/** Everything that is known of a match, the most whole first. */
export function known(id) {
  return [book.match, book.slipMatch, ...(book.board?.matches ?? [])].filter((match) => match?.id === id);
}

/** A match by its number, as whole as it is known. */
export function matchNumbered(id) {
  return known(id)[0];
}

/** The odds of a selection now; undefined when they are not known or not offered. */
export function oddsNow({ matchId, market, line, pick }) {
  for (const match of known(matchId)) {
    const found = match.markets.find((one) => one.market === market && one.line === line);
    const price = found?.prices.find((one) => one.pick === pick);
    if (price) return price.odds;
  }
  return undefined;
}
