import type { Language } from '@krapao/contract/languages';
import type { Namespace } from '@krapao/phrases/catalogue';

/** Id of the element that holds a {@link Prerendered} as JSON. */
export const PRERENDERED_ID = 'prerendered';

/** Data embedded in a prerendered page, so that hydration needs no request. */
export type Prerendered = {
  /** Path of the route that is rendered; `*` for that of unknown addresses. */
  path: string;
  language: Language;
  words: Partial<Record<Namespace, object>>;
  /** URL of the complete style sheet: the page has only its own styles inline. */
  styles: string;
};

/** The data of this page, if it was prerendered. */
export function readPrerendered(): Prerendered | undefined {
  const text = document.getElementById(PRERENDERED_ID)?.textContent;
  return text ? (JSON.parse(text) as Prerendered) : undefined;
}
