import { type Language, htmlLang } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import { PRERENDERED_ID, type Prerendered } from '../src/browser/prerendered.ts';
import { manifestFile, siteTexts } from './manifest.ts';

export type PageParts = {
  /** HTML template written by the bundler. */
  template: string;
  language: Language;
  variant: Variant;
  title: string;
  html: string;
  css: string;
  /** Font file of the language's writing system. */
  font: string;
  /** Inline head script: runs before the page is shown, and preloads the other scripts. */
  script: string;
  /** Inline script that detects an unsupported browser. */
  oldBrowserTest: string;
  /** Inline script at the end of the page. */
  lastScript: string | undefined;
  /** Whether the page accepts no input before hydration. */
  isInert: boolean;
  data: Prerendered;
};

/** JSON for a script element: `<` is escaped, so that no value can close the element. */
const scriptSafeJson = (data: unknown): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Inserts language, variant, site description and first scripts into the template. */
export const forVariant = (template: string, language: Language, variant: Variant, oldBrowserTest: string): string =>
  template
    .replace('</title>', () => `</title><script>${oldBrowserTest}</script>`)
    .replace(/<html[^>]*>/, `<html lang="${htmlLang[language]}" data-variant="${variant}">`)
    .replace(
      /<meta name="description"[^>]*>/,
      () => `<meta name="description" content="${escapeHtml(siteTexts[language].description)}" />`,
    )
    .replace(`/${manifestFile('th')}`, `/${manifestFile(language)}`);

/** HTML of a prerendered page, with inline styles and texts, and preloaded scripts. */
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
    .replace(/<title>.*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
    .replace('</head>', () => `${head}</head>`)
    .replace(
      '<div id="root"></div>',
      () =>
        `<div id="root"${isInert ? ' inert' : ''}>${html}</div><script type="application/json" id="${PRERENDERED_ID}">${scriptSafeJson(data)}</script>${lastScript === undefined ? '' : `<script>${lastScript}</script>`}`,
    );
}
