import { blocksOf, type Block } from './css-blocks.ts';

const CONTAINERS = /^@(media|supports|layer|container)\b/;

/** Wide-gamut colours, fallbacks, hover and forced colours: the complete sheet loads them later. */
const REFINEMENT = /^@supports.*(color-mix|-webkit-hyphens|-apple-pay)|^@media \((hover|forced-colors):/;

/** Class names in a selector, unescaped. */
const classesOf = (selector: string): string[] =>
  [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name = '']) => name.replace(/\\(.)/g, '$1'));

/** Splits a selector list at its own commas, not at those inside brackets. */
function selectorsOf(prelude: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < prelude.length; at++) {
    const char = prelude[at];
    if (char === '\\') at++;
    else if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(prelude.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, prelude.slice(start)];
}

const write = ({ prelude, body }: Block): string => (body === undefined ? `${prelude};` : `${prelude}{${body}}`);

/**
 * Rules of a style sheet that a page can need: those whose classes all occur in it, and those without classes. Keeps
 * their order, so that the complete sheet changes nothing.
 * @param tokens all words of the page's html and scripts
 * @param scripts font file names of the language's scripts
 */
export function criticalCss(
  css: string,
  tokens: ReadonlySet<string>,
  scripts: readonly string[],
  isInert: boolean,
): string {
  const isUsed = (prelude: string): boolean =>
    selectorsOf(prelude).some(
      (selector) =>
        classesOf(selector).every((name) => tokens.has(name)) &&
        !isAboutAbsent(selector) &&
        !(isInert && INPUT.test(selector.trim())),
    );
  const keep = (block: Block): string => {
    const { prelude, body } = block;
    if (body === undefined) return write(block);
    if (prelude.startsWith('@font-face')) return isOfScripts(body, scripts) ? write(block) : '';
    if (REFINEMENT.test(prelude)) return '';
    if (CONTAINERS.test(prelude)) {
      const inner = blocksOf(body).map(keep).join('');
      return inner || prelude.startsWith('@layer') ? `${prelude}{${inner}}` : '';
    }
    return prelude.startsWith('@') || isUsed(prelude) ? write(block) : '';
  };
  const kept = blocksOf(css).map(keep).join('');
  return withoutUnused(withoutUnusedTokens(kept));
}

const isOfScripts = (face: string, scripts: readonly string[]): boolean =>
  !face.includes('url(') || scripts.some((name) => face.includes(`/${name}-`));

/** Removes unused design tokens. Tokens use tokens: repeats until nothing changes. */
function withoutUnusedTokens(css: string): string {
  const slimmer = css.replace(
    /(--(?:aspect|color|text|font|radius|shadow|animate|ease|container|default|leading|tracking)-[\w-]+):[^;}]+;?/g,
    (whole, name) => (css.includes(`var(${name})`) || css.includes(`var(${name},`) ? whole : ''),
  );
  return slimmer === css ? css : withoutUnusedTokens(slimmer);
}

/** Removes unused keyframes and registered properties. */
function withoutUnused(css: string): string {
  const blocks = blocksOf(css);
  const isNeeded = ({ prelude }: Block): boolean => {
    const name = /^@(?:keyframes|property)\s+(\S+)/.exec(prelude)?.[1];
    return name === undefined || css.split(name).length > 2;
  };
  return blocks.filter(isNeeded).map(write).join('');
}

/** Browser resets for elements that no first screen has; the complete sheet has them. */
const ABSENT =
  /^(hr|abbr|code|kbd|samp|pre|small|sub|sup|table|progress|summary|textarea)\b|::-webkit-(datetime|date-|calendar|inner|outer|search)|file-selector|:-moz|optgroup|::backdrop|\.prose/;

/** Styles of interaction: a page that accepts no input yet gets them with the complete sheet. */
const INPUT = /(?<!\\):(active|focus|disabled)|^\.(transition|ease|duration)-/;

const isAboutAbsent = (selector: string): boolean => ABSENT.test(selector.trim());

/** Words of html and scripts, split as class names are. */
export const tokensOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(/["'`\s$]+/)));
