import { call } from '../../api/call.ts';

/** An address that may be opened: http or https, nothing that runs here. */
export function isPicture(link: string): boolean {
  if (!URL.canParse(link, location.href)) return false;
  return ['http:', 'https:'].includes(new URL(link, location.href).protocol);
}

/** Opened with a press, while the browser still counts it as the person's own wish, and sent on when the address is known. */
type PictureTab = { go: (url: string) => void; close: () => void };

/** @param words what the tab says until the picture is there @returns undefined when the browser held it back */
export function openPictureTab(words: string): PictureTab | undefined {
  const tab = window.open('', '_blank');
  if (!tab) return undefined;
  tab.opener = null;
  tab.document.title = words;
  tab.document.documentElement.lang = document.documentElement.lang;
  tab.document.body.append(words);
  return { go: (url) => tab.location.replace(url), close: () => tab.close() };
}

/** Asks where the picture of a slip can be seen. Throws what the call throws, or when the answer is no address. */
export async function pictureOf(reference: string): Promise<string> {
  const { url } = await call('GET /api/statement/slip/reference/{reference}', { params: { reference } });
  if (!isPicture(url)) throw new Error('the slip has no picture that can be opened');
  return new URL(url, location.href).href;
}
