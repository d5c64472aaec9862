import { markLanguage } from '../language.js';
import { WORDS } from '../slot/words.js';

const provider = location.pathname.split('/')[2];
const token = new URLSearchParams(location.search).get('ops') ?? '';
const find = (id) => document.getElementById(id);

const TEXTS = {
  th: 'เกมนี้กำลังจะเปิดให้เล่นเร็ว ๆ นี้ เครดิตในเกมยังอยู่ครบ',
  la: 'ເກມນີ້ຈະເປີດໃຫ້ຫຼິ້ນໃນໄວໆນີ້ ເຄຣດິດໃນເກມຍັງຢູ່ຄົບ',
  en: 'This game opens soon. Your credit is safe.',
};

async function begin() {
  const response = await fetch(`/games/${provider}/play/state`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) return;
  const { language, title, game, balance, returnUrl } = await response.json();
  const words = WORDS[language];
  markLanguage(language);
  document.title = words[game.skin] ?? title;
  find('title').textContent = words[game.skin] ?? title;
  find('soon').textContent = TEXTS[language];
  find('label').textContent = words.balance;
  find('balance').textContent = balance.replace(/\B(?=(\d{3})+(?=\.))/g, ',');
  find('credit').hidden = false;
  if (!returnUrl) return;
  find('back').textContent = words.back;
  find('back').href = returnUrl;
  find('back').hidden = false;
}

begin().catch(() => undefined);
