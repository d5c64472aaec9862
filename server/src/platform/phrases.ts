import type { Language } from '@krapao/contract/languages';
import type { Namespace } from '@krapao/phrases/catalogue';
import * as laterEn from '@krapao/phrases/later-words-en';
import * as laterLa from '@krapao/phrases/later-words-la';
import * as laterTh from '@krapao/phrases/later-words-th';
import * as en from '@krapao/phrases/words-en';
import * as la from '@krapao/phrases/words-la';
import * as th from '@krapao/phrases/words-th';

const catalogues: Readonly<Record<Language, Readonly<Record<Namespace, unknown>>>> = {
  th: { ...th, ...laterTh },
  la: { ...la, ...laterLa },
  en: { ...en, ...laterEn },
};

/**
 * A text of the app's phrases for files and messages that the server writes.
 * @param key path in the namespace, `filter.open` · @throws for an unknown key
 */
export function phrase(
  language: Language,
  namespace: Namespace,
  key: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const text = key
    .split('.')
    .reduce<unknown>(
      (node, name) => (node as Record<string, unknown> | undefined)?.[name],
      catalogues[language][namespace],
    );
  if (typeof text !== 'string') throw new Error(`no phrase ${namespace}:${key}`);
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}
