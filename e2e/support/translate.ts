import { readdirSync, readFileSync } from 'node:fs';
import { joinWords } from '@krapao/phrases/unbroken-words';

export type Language = 'th' | 'la' | 'en';

const PHRASES_FOLDER = new URL('../../phrases/', import.meta.url);
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** Every phrase of a language by its key, `file:path.to.phrase`. */
export function readPhrases(language: Language): ReadonlyMap<string, string> {
  const phrases = new Map<string, string>();
  const folder = new URL(`${language}/`, PHRASES_FOLDER);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const fileContent: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    collectPhrases(fileContent, `${file.slice(0, -'.json'.length)}:`, phrases);
  }
  return phrases;
}

function collectPhrases(phraseTree: unknown, key: string, phrases: Map<string, string>): void {
  if (typeof phraseTree === 'string') phrases.set(key, joinWords(phraseTree));
  else
    for (const [name, subtree] of Object.entries(phraseTree as object))
      collectPhrases(subtree, key.endsWith(':') ? key + name : `${key}.${name}`, phrases);
}

/** Finds the phrase that the screen shows in one language: `translate('deposit:create')`. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string;

/** @returns finds a phrase and fills its placeholders; throws for an unknown key or a missing value */
export function translatorFor(language: Language): Translate {
  const phrases = readPhrases(language);
  return (key, values = {}) => {
    const phrase = phrases.get(key);
    if (phrase === undefined) throw new Error(`${language} has no words for ${key}`);
    return phrase.replaceAll(PLACEHOLDER, (_, name: string) => {
      if (!(name in values)) throw new Error(`${key} wants ${name}`);
      return String(values[name]);
    });
  };
}
