import { type Language, htmlLang } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import { manifestFile, siteWords } from './manifest.ts';
import { PRERENDERED_ID, type Prerendered } from '../src/shell/prerendered.ts';

export type PageParts = {
  /** The bundler's own page. */
  template: string;
  language: Language;
  variant: Variant;
  title: string;
  html: string;
  css: string;
  /** The font file of the language's script. */
  font: string;
  /** The script that runs before the page is shown, and fetches the others. */
  script: string;
  /** Script that shows the notice in an unsupported browser. */
  oldBrowserTest: string;
  /** A script that runs when all of the page is there. */
  lastScript: string | undefined;
  /** Whether the app takes over the page before anything on it can be used. */
  isInert: boolean;
  data: Prerendered;
};

/** JSON that can't end its script element. */
const asData = (data: unknown): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Marks the template with language and variant, and describes the site in the language. */
export const forVariant = (template: string, language: Language, variant: Variant, oldBrowserTest: string): string =>
  template
    .replace('</title>', () => `</title><script>${oldBrowserTest}</script>`)
    .replace(/<html[^>]*>/, `<html lang="${htmlLang[language]}" data-variant="${variant}">`)
    .replace(
      /<meta name="description"[^>]*>/,
      () => `<meta name="description" content="${escape(siteWords[language].description)}" />`,
    )
    .replace(`/${manifestFile('th')}`, `/${manifestFile(language)}`);

/** A whole prerendered page: styles and words inline, scripts preloaded. */
export function pageOf(parts: PageParts): string {
  const { template, language, variant, title, html, css, font, script, oldBrowserTest, lastScript, isInert, data } =
    parts;
  if (/ style="/.test(html))
    throw new Error(`${data.path} has a style attribute, which the content security policy refuses`);
  const head = [
    `<script>${script}</script>`,
    `<style>${css}[data-wait] #root{visibility:hidden}</style>`,
    ...(isInert ? [`<link rel="preload" as="style" href="${data.styles}" />`] : []),
    `<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin />`,
  ].join('');
  return forVariant(template, language, variant, oldBrowserTest)
    .replaceAll(/\s*<link rel="(stylesheet|modulepreload)"[^>]*>/g, '')
    .replace(/<title>.*<\/title>/, () => `<title>${escape(title)}</title>`)
    .replace('</head>', () => `${head}</head>`)
    .replace(
      '<div id="root"></div>',
      () =>
        `<div id="root"${isInert ? ' inert' : ''}>${html}</div><script type="application/json" id="${PRERENDERED_ID}">${asData(data)}</script>${lastScript === undefined ? '' : `<script>${lastScript}</script>`}`,
    );
}
