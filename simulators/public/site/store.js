import { languageAsked, markLanguage } from '../language.js';

const KINDS = {
  slot: { shots: ['tiger', 'deep', 'cards'], glyph: '7' },
  sports: { shots: ['cards', 'market', 'dice'], glyph: '⚽' },
  lotto: { shots: ['balls', 'market', 'dice'], glyph: '9' },
};

const WORDS = {
  th: {
    android: 'ร้านแอปแอนดรอยด์',
    ios: 'ร้านแอปไอโอเอส',
    rating: 'คะแนน',
    size: 'ขนาด',
    age: 'อายุ',
    install: 'ติดตั้ง',
    open: 'เปิดแอป',
    shots: 'ภาพจากแอป',
    back: 'กลับไปกระเป๋า',
    signInStatus: 'ยังไม่ได้ลงชื่อเข้าใช้ กลับไปที่กระเป๋า แล้วกดเข้าเล่นผ่านแอปอีกครั้ง',
    signed: (name) => `พร้อมเข้าเล่นด้วยบัญชี ${name}`,
    aboutTitle: 'เกี่ยวกับแอปนี้',
    maker: (title) => `โดย ${title}`,
    about: {
      slot: 'เกมสล็อตภาพสวย ลื่นไหล หมุนได้ทุกที่ทุกเวลา เครดิตเดียวกับที่เล่นบนเว็บ',
      sports: 'ราคาบอลและกีฬาครบทุกคู่ วางเดิมพันได้ในไม่กี่แตะ เครดิตเดียวกับที่เล่นบนเว็บ',
      lotto: 'หวยไทย หวยลาว แทงง่าย รู้ผลทันที เครดิตเดียวกับที่เล่นบนเว็บ',
    },
  },
  la: {
    android: 'ຮ້ານແອັບແອນດຣອຍ',
    ios: 'ຮ້ານແອັບໄອໂອເອສ',
    rating: 'ຄະແນນ',
    size: 'ຂະໜາດ',
    age: 'ອາຍຸ',
    install: 'ຕິດຕັ້ງ',
    open: 'ເປີດແອັບ',
    shots: 'ຮູບຈາກແອັບ',
    back: 'ກັບໄປກະເປົາ',
    signInStatus: 'ຍັງບໍ່ໄດ້ເຂົ້າສູ່ລະບົບ ກັບໄປກະເປົາ ແລ້ວກົດເຂົ້າຫຼິ້ນຜ່ານແອັບອີກຄັ້ງ',
    signed: (name) => `ພ້ອມເຂົ້າຫຼິ້ນດ້ວຍບັນຊີ ${name}`,
    aboutTitle: 'ກ່ຽວກັບແອັບນີ້',
    maker: (title) => `ໂດຍ ${title}`,
    about: {
      slot: 'ເກມສະລັອດຮູບງາມ ລື່ນໄຫຼ ໝຸນໄດ້ທຸກບ່ອນທຸກເວລາ ເຄຣດິດດຽວກັບທີ່ຫຼິ້ນຢູ່ເວັບ',
      sports: 'ລາຄາບານ ແລະ ກິລາຄົບທຸກຄູ່ ວາງເດີມພັນໄດ້ໃນບໍ່ຈັກແຕະ ເຄຣດິດດຽວກັບທີ່ຫຼິ້ນຢູ່ເວັບ',
      lotto: 'ຫວຍໄທ ຫວຍລາວ ແທງງ່າຍ ຮູ້ຜົນທັນທີ ເຄຣດິດດຽວກັບທີ່ຫຼິ້ນຢູ່ເວັບ',
    },
  },
  en: {
    android: 'Android app store',
    ios: 'iOS app store',
    rating: 'Rating',
    size: 'Size',
    age: 'Age',
    install: 'Install',
    open: 'Open the app',
    shots: 'Pictures of the app',
    back: 'Back to the wallet',
    signInStatus: 'You are not signed in. Go back to your wallet and open the app from there once more.',
    signed: (name) => `Ready to play as ${name}`,
    aboutTitle: 'About this app',
    maker: (title) => `By ${title}`,
    about: {
      slot: 'Smooth slots with fine pictures, anywhere and at any time. The same credit as on the web.',
      sports: 'Football and more, every match, a bet in a few taps. The same credit as on the web.',
      lotto: 'Thai and Lao draws, easy to play, results at once. The same credit as on the web.',
    },
  },
};

const path = /^(\/games\/(\w+)(?:\/site\/\w+)?)\/app\/(android|ios)/.exec(location.pathname) ?? [];
const [, site = '', provider = '', platform = 'android'] = path;
const query = new URLSearchParams(location.search);
const token = query.get('token');
const language = languageAsked(query);
const words = WORDS[language];
const find = (id) => document.getElementById(id);

/** The session that the link holds; undefined when it is over or was never one. */
async function sessionOf() {
  if (!token) return undefined;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`/games/${provider}/play/state`, { headers });
  return response.ok ? response.json() : undefined;
}

function hueOf(name) {
  return [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 360, 7);
}

function show({ title, kind }) {
  const { shots, glyph } = KINDS[kind];
  markLanguage(language);
  document.documentElement.dataset.platform = platform;
  document.documentElement.style.setProperty('--hue', String(hueOf(provider)));
  document.title = `${title} · ${words[platform]}`;
  for (const [id, text] of [
    ['store', words[platform]],
    ['title', title],
    ['maker', words.maker(title)],
    ['icon', glyph],
    ['label-rating', words.rating],
    ['label-size', words.size],
    ['label-age', words.age],
    ['install', words.install],
    ['open', words.open],
    ['back', words.back],
    ['about-title', words.aboutTitle],
    ['about', words.about[kind]],
  ])
    find(id).textContent = text;
  find('shots').setAttribute('aria-label', words.shots);
  find('shots').replaceChildren(
    ...shots.map((name) => {
      const picture = document.createElement('img');
      picture.src = `/assets/slot/${name}.svg`;
      picture.alt = '';
      return picture;
    }),
  );
}

async function begin() {
  const links = fetch('/phone/links').then((response) => response.json());
  const [about, session] = await Promise.all([
    fetch(`/games/${provider}/about`).then((response) => response.json()),
    sessionOf().catch(() => undefined),
  ]);
  show({ title: about.title, kind: session?.game.kind ?? about.game.kind });
  find('open').hidden = !session;
  find('install').hidden = Boolean(session);
  find('install').addEventListener('click', () => {
    find('sign-in-status').textContent = words.signInStatus;
  });
  const { app } = await links;
  find('back').href = app;
  find('back').hidden = false;
  if (!session) return;
  // What else the link wishes for, the app is asked for as well.
  find('open').href = `${site}/enter${location.search}`;
  find('signed').textContent = words.signed(session.username);
  find('signed').hidden = false;
}

void begin();
