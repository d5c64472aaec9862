import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlLang, languages } from '@krapao/contract/languages';
import { siteTexts } from '../manifest.ts';

/** File in `dist` that shows the notice for unsupported browsers. */
export const OLD_BROWSER_FILE = 'old-browser.js';

const readScript = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

/** Removes comments and indentation. Statements must end with semicolons because lines are joined. */
const minify = (code: string): string => code.replaceAll(/^\s*(\/\/.*)?|\n/gm, '');

/** Script for the head of every page: in an unsupported browser it loads the notice. */
export const oldBrowserTest = async (): Promise<string> => minify(await readScript('test.js'));

/** Script that shows the notice in all three languages. */
export async function oldBrowserMessage(): Promise<string> {
  const notices = languages.map((language) => ({ lang: htmlLang[language], ...siteTexts[language].oldBrowser }));
  return minify(await readScript('notice.js')).replace('NOTICES', () => JSON.stringify(notices));
}
