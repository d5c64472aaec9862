import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlLang, languages } from '@krapao/contract/languages';
import { siteWords } from '../manifest.ts';

/** Where the notice for browsers that are too old stands in `dist`. */
export const NOTICE_FILE = 'old-browser.js';

const read = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

/** Comments and indentation removed; the statements end with semicolons. */
const shorten = (code: string): string => code.replaceAll(/^\s*(\/\/.*)?|\n/gm, '');

/** The script in the head of every page: sends a browser that is too old to the notice. */
export const oldBrowserTest = async (): Promise<string> => shorten(await read('test.js'));

/** The script that shows the notice, in all three languages. */
export async function oldBrowserNotice(): Promise<string> {
  const notices = languages.map((language) => ({ lang: htmlLang[language], ...siteWords[language].oldBrowser }));
  return shorten(await read('notice.js')).replace('NOTICES', () => JSON.stringify(notices));
}
