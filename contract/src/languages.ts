/** Languages of the product. `la` is the stored code of Lao; the page uses `lo`. */
export const languages = ['th', 'la', 'en'] as const;
export type Language = (typeof languages)[number];

export const isLanguage = (text: unknown): text is Language => languages.includes(text as Language);

/** Values of `<html lang>` (BCP 47). */
export const htmlLang = { th: 'th', la: 'lo', en: 'en' } as const satisfies Record<Language, string>;

/** Cookie with the language in which the server serves pages. */
export const LANGUAGE_COOKIE = 'language';
export const cookieValue = { th: 'TH', la: 'LA', en: 'EN' } as const satisfies Record<Language, string>;
