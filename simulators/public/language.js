/** The languages that the pages speak, by the product's words for them; `<html lang>` says `lo` for Lao. */
const HTML_LANG = { th: 'th', la: 'lo', en: 'en' };

/** The language that an address asks for: Thai unless it names another that is spoken. */
export function languageAsked(query = new URLSearchParams(location.search)) {
  const asked = query.get('l') ?? query.get('lang') ?? '';
  return Object.hasOwn(HTML_LANG, asked) ? asked : 'th';
}

/** Says to browsers and screen readers which language the page is in. */
export function markLanguage(language) {
  document.documentElement.lang = HTML_LANG[language];
}
