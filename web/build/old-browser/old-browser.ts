import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlLang, languages } from '@krapao/contract/languages';
import { siteWords } from '../manifest.ts';

/** File in `dist` with the notice for unsupported browsers. */
export const NOTICE_FILE = 'old-browser.js';

const read = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

/** Comments and indentation removed; the statements end with semicolons. */
const shorten = (code: string): string => code.replaceAll(/^\s*(\/\/.*)?|\n/gm, '');

/** Script in the head of every page: shows the notice in an unsupported browser. */
export const oldBrowserTest = async (): Promise<string> => shorten(await read('test.js'));

/** The script that shows the notice, in all three languages. */
export async function oldBrowserNotice(): Promise<string> {
  const notices = languages.map((language) => ({ lang: htmlLang[language], ...siteWords[language].oldBrowser }));
  return shorten(await read('notice.js')).replace('NOTICES', () => JSON.stringify(notices));
}
