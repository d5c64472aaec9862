import type { Language } from '@krapao/contract/languages';
import type { Namespace } from '@krapao/phrases/catalogue';

/** Id of the element that contains a {@link Prerendered} as JSON. */
export const PRERENDERED_ID = 'prerendered';

/** Data embedded in a prerendered page, so that hydration needs no request. */
export type Prerendered = {
  /** Path of the rendered route; `*` for the page of unknown paths. */
  path: string;
  language: Language;
  words: Partial<Record<Namespace, object>>;
  /** URL of the complete style sheet; the page itself has only its own styles inline. */
  styles: string;
};

/** Reads the data of the current page; undefined if the page is not prerendered. */
export function readPrerendered(): Prerendered | undefined {
  const text = document.getElementById(PRERENDERED_ID)?.textContent;
  return text ? (JSON.parse(text) as Prerendered) : undefined;
}
