import type { Language } from '@krapao/contract/languages';
import type { Namespace } from '@krapao/phrases/catalogue';

/** Id of the element that holds a {@link Prerendered} as JSON. */
export const PRERENDERED_ID = 'prerendered';

/** What a prerendered page brings along, so that it can come to life without asking for it. */
export type Prerendered = {
  /** Path of the route that is rendered; `*` for that of unknown addresses. */
  path: string;
  language: Language;
  words: Partial<Record<Namespace, object>>;
  /** Address of the whole style sheet: the page has only its own part inline. */
  styles: string;
};

/** What this page was prerendered as, if it was. */
export function readPrerendered(): Prerendered | undefined {
  const text = document.getElementById(PRERENDERED_ID)?.textContent;
  return text ? (JSON.parse(text) as Prerendered) : undefined;
}
