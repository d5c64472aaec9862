import { randomKey } from '../random-key.js';
import { book, call, known, matchNumbered, oddsNow } from './book.js';
import { money, oddsText, readMoney, returnOf, shortMoney } from './figures.js';

/** Opens the slip for a selection at the odds that stand now; the same selection again closes it. */
export function openSlip(name, selection) {
  if (book.slip?.sending) return;
  const odds = oddsNow(selection);
  const match = matchNumbered(selection.matchId);
  if (!odds || !match || (book.slip?.name === name && !book.slip.placed)) {
    book.slip = undefined;
    return;
  }
  const text = book.slip?.placed ? '' : (book.slip?.text ?? '');
  book.slip = {
    name,
    selection,
    match,
    odds,
    text,
    problem: undefined,
    request: undefined,
    placed: undefined,
    sending: false,
  };
}

/** The stake that was typed: satang, `0` for nothing, undefined for what is no amount. */
export function stakeOf({ text }) {
  return text.trim() === '' ? 0 : readMoney(text);
}

export function addStake(satang) {
  const { slip } = book;
  if (!slip || isFixed(slip)) return;
  const stake = Math.min((stakeOf(slip) ?? 0) + satang, book.board.stakes.most);
  slip.text = plain(stake);
  slip.problem = undefined;
}

export function stakeAll() {
  const { slip, board } = book;
  if (slip && !isFixed(slip)) slip.text = plain(Math.min(board.balance, board.stakes.most));
}

const plain = (satang) => money(satang).replaceAll(',', '').replace(/\.00$/, '');

/** A bet that was sent and not answered must be sent again as it was: it may have been taken. */
export function isFixed(slip) {
  return slip.sending || slip.request !== undefined;
}

/** Why the slip can't be placed, or the text of its button. */
export function slipState(slip) {
  const { words, board } = book;
  const { least, most } = board.stakes;
  const stake = stakeOf(slip);
  const current = currentOdds(slip);
  const match = matchNumbered(slip.selection.matchId);
  const button = (text, can) => ({ text, can });
  if (slip.sending) return { stake, button: button(words.sending, false) };
  if (slip.request)
    return {
      stake: slip.request.stake,
      note: ['bad', words.offline],
      button: button(words.place(money(slip.request.stake)), true),
    };
  if (slip.problem === 'too_many_bets')
    return { stake, note: ['bad', words.tooManyBets], button: button(words.placeEmpty, false) };
  if (match?.held) return { stake, note: ['wait', words.held], button: button(words.held, false) };
  if (current === undefined)
    return { stake, gone: true, note: ['bad', words.gone], button: button(words.closed, false) };
  const moved = current === slip.odds ? undefined : ['moved', words.moved(oddsText(slip.odds), oddsText(current))];
  if (stake === undefined) return { stake, note: ['bad', words.badStake], button: button(words.placeEmpty, false) };
  if (stake === 0) return { stake, note: moved, button: button(words.placeEmpty, false) };
  if (stake < least)
    return { stake, note: ['bad', words.tooLittle(shortMoney(least))], button: button(words.placeEmpty, false) };
  if (stake > most)
    return { stake, note: ['bad', words.tooMuch(shortMoney(most))], button: button(words.placeEmpty, false) };
  if (stake > board.balance)
    return {
      stake,
      isShort: true,
      note: ['bad', words.short(money(board.balance))],
      button: button(words.place(money(stake)), false),
    };
  if (moved) return { stake, note: moved, button: { ...button(words.accept(oddsText(current)), true), accepts: true } };
  return { stake, button: button(words.place(money(stake)), true) };
}

/** What the bet would be taken at now; undefined when it is no longer offered. */
export function currentOdds(slip) {
  return oddsNow(slip.selection) ?? undefined;
}

export function possibleReturn(slip, stake) {
  return returnOf(stake ?? 0, currentOdds(slip) ?? slip.odds);
}

/** Sends the bet. `redraw` shows each state on the way. */
export async function placeBet(redraw) {
  const { slip } = book;
  if (!slip || slip.sending || !slipState(slip).button.can) return;
  if (!slip.request) slip.odds = currentOdds(slip) ?? slip.odds;
  slip.request ??= { ...slip.selection, odds: slip.odds, stake: stakeOf(slip), key: randomKey() };
  slip.sending = true;
  redraw();
  try {
    const { bet, ...sums } = await call('bets', slip.request);
    Object.assign(book.board, sums);
    book.bets = undefined;
    Object.assign(slip, { placed: bet, request: undefined });
  } catch (error) {
    refused(slip, error);
  }
  slip.sending = false;
  redraw();
}

/** Only a definite refusal drops the key. */
function refused(slip, { code, odds }) {
  if (code === 'offline') return;
  slip.request = undefined;
  slip.problem = code;
  if (code === 'session_over') book.problem = 'over';
  if (code === 'odds_moved') setOdds(slip.selection, odds);
  if (code === 'betting_held') holdMatch(slip.selection.matchId);
  if (code === 'not_offered' || code === 'match_over') setOdds(slip.selection, undefined);
}

/** Takes over what the server said the odds are, until the next look at the board. */
function setOdds({ matchId, market, line, pick }, odds) {
  for (const match of known(matchId)) {
    match.markets = match.markets.map((one) => {
      if (one.market !== market || one.line !== line) return one;
      const others = one.prices.filter((price) => odds !== undefined || price.pick !== pick);
      return { ...one, prices: others.map((price) => (price.pick === pick ? { pick, odds } : price)) };
    });
  }
}

function holdMatch(id) {
  for (const match of known(id)) match.held = true;
}
