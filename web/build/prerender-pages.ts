import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { languages, type Language } from '@krapao/contract/languages';
import { variants, type Variant } from '@krapao/contract/rules';
import type * as prerenderModule from '../src/prerender.tsx';
import { filesOf, readManifest } from './chunks.ts';
import { criticalCss, tokensOf } from './critical-css.ts';
import { manifestFile, manifestOf } from './manifest.ts';
import { OLD_BROWSER_FILE, oldBrowserMessage, oldBrowserTest } from './old-browser/old-browser.ts';
import { headScript, inlineScript, themeScript } from './page-scripts.ts';
import { forVariant, pageOf } from './page.ts';
import { ENTRY, firstScreens, type ScreenFiles, screens } from './screens.ts';

const FONT_BY_LANGUAGE = { th: 'thai', la: 'lao', en: 'latin' } as const satisfies Record<Language, string>;

/** Classes that the page needs right after the first input: errors and progress. */
const FEEDBACK_CLASSES = 'text-coral animate-turn';

/** Output folder of a variant; the Lao variant has a subfolder. */
const folderOf = (dist: string, variant: Variant): string => (variant === 'lao' ? join(dist, 'lao') : dist);

/**
 * Renders each screen without data, in each language and variant, and an empty page. Styles are inline; the content
 * security policy allows each page's styles by hash.
 */
export async function prerenderPages(dist: string, prerenderer: string): Promise<void> {
  const { renderPage } = (await import(pathToFileURL(prerenderer).href)) as typeof prerenderModule;
  const template = await readFile(join(dist, 'index.html'), 'utf8');
  const manifest = await readManifest(dist);
  const styleSheetFile = manifest[ENTRY]?.css?.[0] ?? '';
  const css = await readFile(join(dist, styleSheetFile), 'utf8');
  const fonts = (await readdir(join(dist, 'assets'))).filter((name) => name.endsWith('.woff2'));

  const browserTest = await oldBrowserTest();
  const earlyScripts = new Map<ScreenFiles, string>();
  for (const screen of screens)
    if (screen.earlyScript) earlyScripts.set(screen, await inlineScript(screen.earlyScript));

  const writePage = async (screen: ScreenFiles, language: Language, variant: Variant): Promise<void> => {
    const page = await renderPage(screen.path, language, variant);
    const isInert = !firstScreens.includes(screen);
    const files = filesOf(manifest, [ENTRY, screen.layout, screen.page, ...(screen.laterModules ?? [])]);
    const laterFiles = files.filter((file) => !template.includes(`src="/${file}"`));
    // Includes classes that the screen's script may render next, except on member pages, which load the complete style
    // sheet first.
    const script =
      screen.shell === 'member' ? '' : await readFile(join(dist, manifest[screen.page]?.file ?? ''), 'utf8');
    const criticalStyles = criticalCss(
      css,
      tokensOf([page.html, script, FEEDBACK_CLASSES]),
      ['latin', FONT_BY_LANGUAGE[language]],
      screen.shell === 'member',
    ).replaceAll('url(./', 'url(/assets/');
    const html = pageOf({
      template,
      language,
      variant,
      title: page.title,
      html: page.html,
      css: criticalStyles,
      font: `/assets/${fonts.find((name) => name.startsWith(`${FONT_BY_LANGUAGE[language]}-`)) ?? ''}`,
      script: headScript(screen, laterFiles, language, variant === 'lao' ? 'la' : 'th'),
      oldBrowserTest: browserTest,
      lastScript: earlyScripts.get(screen),
      isInert,
      data: { path: screen.path, language, words: page.words, styles: `/${styleSheetFile}` },
    });
    const name = screen.path === '*' ? 'not-found' : screen.path.slice(1).replaceAll('/', '.');
    await writeFile(join(folderOf(dist, variant), `${name}.${language}.html`), html);
  };

  for (const language of languages)
    await writeFile(join(dist, manifestFile(language)), JSON.stringify(manifestOf(language)));
  await writeFile(join(dist, OLD_BROWSER_FILE), await oldBrowserMessage());
  for (const variant of variants) {
    await mkdir(folderOf(dist, variant), { recursive: true });
    await writeFile(
      join(folderOf(dist, variant), 'index.html'),
      forVariant(template, variant === 'lao' ? 'la' : 'th', variant, browserTest).replace(
        '</head>',
        () => `<script>${themeScript}</script></head>`,
      ),
    );
    for (const screen of screens) for (const language of languages) await writePage(screen, language, variant);
  }
}
