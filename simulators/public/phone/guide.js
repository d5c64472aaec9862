import { h, icon } from './dom.js';
import { keep, say, state } from './state.js';

const NAMES = { th: 'ไทย', la: 'ລາວ', en: 'English' };
const HTML_LANG = { th: 'th', la: 'lo', en: 'en' };

/** First steps, and links to the other pages of this system. */
export const guide = ({ isOpen = true } = {}) => [
  h('p', { className: 'ways' }, way(state.links.app, say('openApp')), way(supportAddress(), say('openSupport'))),
  h('details', { className: 'steps', open: isOpen }, h('summary', {}, say('firstSteps')), steps()),
];

const steps = () =>
  h(
    'ol',
    {},
    say('steps').map((step) => h('li', {}, step)),
  );

const supportAddress = () => state.links.support && `${state.links.support}?l=${state.language}`;

const way = (href, words) =>
  href && h('a', { href, className: 'way', target: '_blank', rel: 'noopener' }, words, icon('out'));

/** The languages to choose from. @param onChange called when another one is chosen */
export function languages(onChange) {
  const choose = (language) => () => {
    state.language = language;
    keep();
    onChange();
  };
  return Object.entries(NAMES).map(([language, name]) =>
    h(
      'button',
      {
        type: 'button',
        lang: HTML_LANG[language],
        'aria-pressed': String(language === state.language),
        onclick: choose(language),
      },
      name,
    ),
  );
}
