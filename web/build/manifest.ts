import { htmlLang, type Language } from '@krapao/contract/languages';
import en from '@krapao/phrases/en/site.json' with { type: 'json' };
import la from '@krapao/phrases/la/site.json' with { type: 'json' };
import th from '@krapao/phrases/th/site.json' with { type: 'json' };
import type { ManifestOptions } from 'vite-plugin-pwa';
import { APP_NAME } from '../src/browser/variant.ts';

const BACKGROUND_COLOUR = '#150a14';

/** Texts for search engines, link previews and the installed app. */
export const siteTexts = { th, la, en } satisfies Record<Language, typeof th>;

/** File name of a language's web app manifest. The Thai one has the bundler's default name. */
export const manifestFile = (language: Language): string =>
  language === 'th' ? 'manifest.webmanifest' : `manifest.${language}.webmanifest`;

/** Content of the web app manifest in one language. */
export function manifestOf(language: Language): Partial<ManifestOptions> {
  const { description, shortcut, screenshot } = siteTexts[language];
  const icon = { src: '/icons/icon-192.png', sizes: '192x192', type: 'image/png' };
  return {
    name: APP_NAME,
    short_name: APP_NAME,
    description,
    lang: htmlLang[language],
    dir: 'ltr',
    id: '/',
    start_url: '/',
    display: 'standalone',
    background_color: BACKGROUND_COLOUR,
    theme_color: BACKGROUND_COLOUR,
    icons: [
      icon,
      { src: '/icons/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [
      { name: shortcut.home, url: '/user/home', icons: [icon] },
      { name: shortcut.bonus, url: '/user/bonus', icons: [icon] },
      { name: shortcut.statement, url: '/user/statement', icons: [icon] },
      { name: shortcut.deposit, url: '/user/home#deposit', icons: [icon] },
      { name: shortcut.withdraw, url: '/user/home#withdraw', icons: [icon] },
    ],
    screenshots: [
      {
        src: '/screenshots/narrow.webp',
        sizes: '780x1688',
        type: 'image/webp',
        form_factor: 'narrow',
        label: screenshot.narrow,
      },
      {
        src: '/screenshots/wide.webp',
        sizes: '1280x800',
        type: 'image/webp',
        form_factor: 'wide',
        label: screenshot.wide,
      },
    ],
  };
}
