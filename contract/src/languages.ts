/** The languages of the product. `la` is the product's word for Lao and what is stored; the page says `lo`. */
export const languages = ['th', 'la', 'en'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: unknown): text is Language => languages.includes(text as Language);

/** What `<html lang>` says (BCP 47). */
export const htmlLang = { th: 'th', la: 'lo', en: 'en' } as const satisfies Record<Language, string>;

/** The cookie with the language that the server serves pages in. */
export const LANGUAGE_COOKIE = 'language';
export const cookieValue = { th: 'TH', la: 'LA', en: 'EN' } as const satisfies Record<Language, string>;
