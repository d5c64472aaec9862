import { blocksOf, type Block } from './css-blocks.ts';

const NESTED_AT_RULES = /^@(media|supports|layer|container)\b/;

/** At-rules for wide-gamut colours, fallbacks, hover and forced colours. The complete style sheet loads them later. */
const DEFERRED_AT_RULES = /^@supports.*(color-mix|-webkit-hyphens|-apple-pay)|^@media \((hover|forced-colors):/;

/** Unescaped class names in a selector. */
const classesOf = (selector: string): string[] =>
  [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name = '']) => name.replace(/\\(.)/g, '$1'));

/** Splits a selector list at its top-level commas, not at commas inside brackets. */
function selectorsOf(prelude: string): string[] {
  const selectors: string[] = [];
  let bracketDepth = 0;
  let selectorStart = 0;
  for (let index = 0; index < prelude.length; index++) {
    const character = prelude[index];
    if (character === '\\') index++;
    else if (character === '(' || character === '[') bracketDepth++;
    else if (character === ')' || character === ']') bracketDepth--;
    else if (character === ',' && bracketDepth === 0) {
      selectors.push(prelude.slice(selectorStart, index));
      selectorStart = index + 1;
    }
  }
  return [...selectors, prelude.slice(selectorStart)];
}

const cssTextOf = ({ prelude, body }: Block): string => (body === undefined ? `${prelude};` : `${prelude}{${body}}`);

/** A translucent colour of the dark theme, and the rule that replaces it where the browser mixes colours. */
const COLOUR_FALLBACK =
  /([^{}]+)\{([\w-]+:)[^{};]*\}@supports \(color:color-mix\(in lab, ?red, ?red\)\)\{\1(\{\2[^{}]*\})\}/g;

/**
 * Rules of a style sheet that a page may need: rules without classes, and rules whose classes all occur in the page.
 * Keeps the order of the rules, so that loading the complete sheet changes nothing.
 * @param tokens words of the page's HTML and scripts
 * @param scripts font file names of the language's writing systems
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
        !selectsAbsentElement(selector) &&
        !(isInert && INTERACTION_SELECTORS.test(selector.trim())),
    );
  const keepUsed = (block: Block): string => {
    const { prelude, body } = block;
    if (body === undefined) return cssTextOf(block);
    if (prelude.startsWith('@font-face')) return isFontFaceOfScripts(body, scripts) ? cssTextOf(block) : '';
    if (DEFERRED_AT_RULES.test(prelude)) return '';
    if (NESTED_AT_RULES.test(prelude)) {
      const innerCss = blocksOf(body).map(keepUsed).join('');
      return innerCss || prelude.startsWith('@layer') ? `${prelude}{${innerCss}}` : '';
    }
    return prelude.startsWith('@') || isUsed(prelude) ? cssTextOf(block) : '';
  };
  // Every supported browser mixes colours; the fallbacks are dark in the light theme too.
  const usedCss = blocksOf(css.replace(COLOUR_FALLBACK, '$1$3')).map(keepUsed).join('');
  return withoutUnusedAtRules(
    withoutUnusedTokens(usedCss.replace(DEFAULT_TOKEN, withoutDefault).replace(REPEATED, '$1')),
  );
}

/** A reference to a token with a default value. */
const DEFAULT_TOKEN = /var\((--default-[\w-]+),[^()]*\)/g;

/** Removes the default value of a token that the style sheet defines. */
const withoutDefault = (reference: string, name: string, _offset: number, css: string): string =>
  css.includes(`${name}:`) ? `var(${name})` : reference;

/** A declaration that follows itself. */
const REPEATED = /((?<=[;{])[\w-]+:[^;{}]*;)\1+/g;

const isFontFaceOfScripts = (fontFace: string, scripts: readonly string[]): boolean =>
  !fontFace.includes('url(') || scripts.some((name) => fontFace.includes(`/${name}-`));

/** Removes unused design tokens. Tokens can refer to tokens, so it repeats until nothing changes. */
function withoutUnusedTokens(css: string): string {
  const reducedCss = css.replace(
    /(--(?:aspect|color|text|font|radius|shadow|animate|ease|container|default|leading|tracking)-[\w-]+):[^;}]+;?/g,
    (declaration, name) => (css.includes(`var(${name})`) || css.includes(`var(${name},`) ? declaration : ''),
  );
  return reducedCss === css ? css : withoutUnusedTokens(reducedCss);
}

/** Removes unused keyframes and registered custom properties. */
function withoutUnusedAtRules(css: string): string {
  const blocks = blocksOf(css);
  const isUsedAtRule = ({ prelude }: Block): boolean => {
    const name = /^@(?:keyframes|property)\s+(\S+)/.exec(prelude)?.[1];
    return name === undefined || [...css.matchAll(new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`, 'g'))].length > 1;
  };
  return blocks.filter(isUsedAtRule).map(cssTextOf).join('');
}

/** Reset rules for elements that occur on no first screen; the complete style sheet includes them. */
const ABSENT_ELEMENTS =
  /^(hr|abbr|code|kbd|samp|pre|small|sub|sup|table|progress|summary|textarea)\b|::-webkit-(datetime|date-|calendar|inner|outer|search)|file-selector|:-moz|optgroup|::backdrop|\.prose/;

/** Selectors for interaction and bars. A page that accepts no input yet gets them with the complete style sheet. */
const INTERACTION_SELECTORS =
  /(?<!\\):(active|focus|disabled|hover|:selection|:placeholder|has\()|^\.(transition|ease|duration)-|\[data-(strip|bar)/;

const selectsAbsentElement = (selector: string): boolean => ABSENT_ELEMENTS.test(selector.trim());

/** Words of HTML and scripts, split so that each class name is a word. */
export const tokensOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(/["'`\s$]+/)));
