import { type Language, htmlLang } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import { manifestFile, siteWords } from './manifest.ts';
import { PRERENDERED_ID, type Prerendered } from '../src/shell/prerendered.ts';

export type PageParts = {
  /** The bundler's page. */
  template: string;
  language: Language;
  variant: Variant;
  title: string;
  html: string;
  css: string;
  /** The font file of the language's script. */
  font: string;
  /** Runs before the page is shown, and preloads the others. */
  script: string;
  /** Script that shows the notice in an unsupported browser. */
  oldBrowserTest: string;
  /** Runs after the page has been parsed. */
  lastScript: string | undefined;
  /** Whether the page accepts input only after hydration. */
  isInert: boolean;
  data: Prerendered;
};

/** JSON that can't close its script element. */
const asData = (data: unknown): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Sets language, variant and site description in the template. */
export const forVariant = (template: string, language: Language, variant: Variant, oldBrowserTest: string): string =>
  template
    .replace('</title>', () => `</title><script>${oldBrowserTest}</script>`)
    .replace(/<html[^>]*>/, `<html lang="${htmlLang[language]}" data-variant="${variant}">`)
    .replace(
      /<meta name="description"[^>]*>/,
      () => `<meta name="description" content="${escape(siteWords[language].description)}" />`,
    )
    .replace(`/${manifestFile('th')}`, `/${manifestFile(language)}`);

/** A prerendered page with inline styles and texts, and preloaded scripts. */
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
