import { readdirSync, readFileSync } from 'node:fs';

export type Language = 'th' | 'la' | 'en';

const FOLDER = new URL('../../phrases/', import.meta.url);
const PLACE = /\{\{\s*(\w+)\s*\}\}/g;

/** Every sentence of a language by its key, `word:path.to.it`. */
export function sentences(language: Language): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const folder = new URL(`${language}/`, FOLDER);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const words: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    collect(words, `${file.slice(0, -'.json'.length)}:`, found);
  }
  return found;
}

function collect(words: unknown, key: string, into: Map<string, string>): void {
  if (typeof words === 'string') into.set(key, words);
  else
    for (const [name, inner] of Object.entries(words as object))
      collect(inner, key.endsWith(':') ? key + name : `${key}.${name}`, into);
}

/** What a person who reads one language looks for on the screen: `say('deposit:create')`. */
export type Say = (key: string, values?: Readonly<Record<string, string | number>>) => string;

/** @returns finds a sentence and fills it in; throws when there is none, or when a place in it stays empty */
export function speaking(language: Language): Say {
  const known = sentences(language);
  return (key, values = {}) => {
    const sentence = known.get(key);
    if (sentence === undefined) throw new Error(`${language} has no words for ${key}`);
    return sentence.replaceAll(PLACE, (_, name: string) => {
      if (!(name in values)) throw new Error(`${key} wants ${name}`);
      return String(values[name]);
    });
  };
}
