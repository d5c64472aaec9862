/** The page has its note in every language and shows only the one in the address, if any. */
const asked = new URLSearchParams(location.search);
const language = asked.get('l') ?? asked.get('lang') ?? '';
const lang = language === 'la' ? 'lo' : language;
const texts = [...document.querySelectorAll('.note [lang]')];
const own = texts.filter((text) => text.lang === lang);
if (own.length > 0) {
  for (const text of texts) if (text.lang !== lang) text.remove();
  for (const text of own) text.classList.remove('quiet');
  document.documentElement.lang = lang;
  document.title = own[0].querySelector('h1, h2').textContent;
}

const BACK = { th: 'กลับไปกระเป๋า', lo: 'ກັບໄປກະເປົາ', en: 'Back to the wallet' };

async function showBack() {
  const { app } = await (await fetch('/phone/links')).json();
  for (const text of document.querySelectorAll('.note [lang]')) {
    const back = Object.assign(document.createElement('a'), { className: 'back', href: app });
    back.textContent = BACK[text.lang];
    text.append(back);
  }
}

showBack().catch(() => undefined);
