import { book, isLive, isOver } from './book.js';
import { h } from './dom.js';
import { badge, clockText, icon, resultOdds } from './pieces.js';
import { commentary, pitch } from './pitch.js';

/** All matches: what is live with its pitch, what comes, what is over. */
export function matchesView() {
  const { words, board } = book;
  const live = board.matches.filter(isLive);
  const coming = board.matches.filter(({ phase }) => phase === 'coming');
  const over = board.matches.filter(isOver).toSorted((one, other) => other.endedAt - one.endedAt);
  return [
    h('h2', { class: 'head live-head', key: 'h-live' }, h('i', { class: 'pulse' }), words.liveNow),
    live.length === 0
      ? h('p', { class: 'none-live', key: 'none' }, words.noneLive)
      : h('div', { class: `lives lives-${live.length}`, key: 'lives' }, live.map(liveCard)),
    coming.length > 0 && h('h2', { class: 'head', key: 'h-coming' }, words.coming),
    h('div', { class: 'list', key: 'coming' }, coming.map(comingCard)),
    over.length > 0 && h('h2', { class: 'head', key: 'h-over' }, words.over),
    h('div', { class: 'results', key: 'over' }, over.slice(0, 8).map(resultRow)),
  ].filter(Boolean);
}

const chosen = (match) => (book.matchId === match.id ? ' looked-at' : '');

function liveCard(match) {
  return h(
    'article',
    { class: `live-card${chosen(match)}`, key: match.id },
    h(
      'a',
      { class: 'live-link', href: `#match-${match.id}` },
      liveTop(match),
      scoreboard(match),
      pitch(match),
      h('p', { class: 'commentary' }, commentary(match)),
    ),
    resultOdds(match),
    h('a', { class: 'all-odds', href: `#match-${match.id}` }, book.words.allOdds, icon('arrow')),
  );
}

export function liveTop(match) {
  return h(
    'p',
    { class: 'live-top' },
    h('span', { class: 'league' }, match.league),
    h('span', { class: `minute figures${isLive(match) ? ' on' : ''}` }, clockText(match)),
  );
}

/** Both teams and the score as television shows them. */
export function scoreboard(match) {
  const side = (name) =>
    h(
      'div',
      { class: `side side-${name}` },
      badge(match[name], 'badge badge-big'),
      h('span', { class: 'team' }, match[name].name, reds(match.reds[name])),
    );
  const isBefore = match.phase === 'coming';
  return h(
    'div',
    { class: 'scoreboard' },
    side('home'),
    h('p', { class: 'score figures' }, isBefore ? 'VS' : `${match.score.home}–${match.score.away}`),
    side('away'),
  );
}

function reds(count) {
  return Array.from({ length: count }, () => h('i', { class: 'card card-red', title: book.words.happenings.red }));
}

function comingCard(match) {
  return h(
    'article',
    { class: `coming-card${chosen(match)}`, key: match.id },
    h(
      'a',
      { class: 'coming-link', href: `#match-${match.id}` },
      h(
        'span',
        { class: 'coming-top' },
        h('span', { class: 'league' }, match.league),
        h('span', { class: 'figures when' }, clockText(match)),
      ),
      h(
        'span',
        { class: 'pair' },
        h('span', { class: 'pair-team' }, badge(match.home), h('b', {}, match.home.name)),
        h('span', { class: 'pair-team' }, badge(match.away), h('b', {}, match.away.name)),
      ),
      icon('arrow', 'icon go'),
    ),
    resultOdds(match),
  );
}

function resultRow(match) {
  const { home, away } = match.score;
  const off = match.phase === 'called-off';
  const team = (side, goals, others) =>
    h(
      'span',
      { class: `row-team row-${side}${!off && goals > others ? ' winner' : ''}` },
      badge(match[side]),
      match[side].name,
    );
  return h(
    'a',
    { class: `result-row${chosen(match)}`, href: `#match-${match.id}`, key: match.id },
    team('home', home, away),
    h('b', { class: 'row-score figures' }, off ? book.words.phases['called-off'] : `${home}–${away}`),
    team('away', away, home),
  );
}
