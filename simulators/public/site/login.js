import { languageAsked, markLanguage } from '../language.js';

const WORDS = {
  th: {
    motto: 'หวยไทย หวยลาว ออกผลทุกงวด',
    'label-username': 'ชื่อผู้ใช้',
    'label-password': 'รหัสผ่าน',
    enter: 'เข้าสู่ระบบ',
    hint: 'ใช้ชื่อผู้ใช้และรหัสผ่านของเกมนี้ ดูได้ที่หน้าเกมในกระเป๋าของคุณ',
    wrong: 'ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง กรุณาลองอีกครั้ง',
    show: 'แสดง',
    hide: 'ซ่อน',
    languages: 'ภาษา',
    back: 'กลับไปกระเป๋า',
  },
  la: {
    motto: 'ຫວຍໄທ ຫວຍລາວ ອອກຜົນທຸກງວດ',
    'label-username': 'ຊື່ຜູ້ໃຊ້',
    'label-password': 'ລະຫັດຜ່ານ',
    enter: 'ເຂົ້າສູ່ລະບົບ',
    hint: 'ໃຊ້ຊື່ຜູ້ໃຊ້ ແລະ ລະຫັດຜ່ານຂອງເກມນີ້ ເບິ່ງໄດ້ທີ່ໜ້າເກມໃນກະເປົາຂອງທ່ານ',
    wrong: 'ຊື່ຜູ້ໃຊ້ ຫຼື ລະຫັດຜ່ານບໍ່ຖືກຕ້ອງ ກະລຸນາລອງອີກຄັ້ງ',
    show: 'ສະແດງ',
    hide: 'ເຊື່ອງ',
    languages: 'ພາສາ',
    back: 'ກັບໄປກະເປົາ',
  },
  en: {
    motto: 'Thai and Lao draws, every round',
    'label-username': 'User name',
    'label-password': 'Password',
    enter: 'Sign in',
    hint: 'Use the user name and password of this game; your wallet shows them on the game’s card.',
    wrong: 'User name or password is wrong. Please try again.',
    show: 'Show',
    hide: 'Hide',
    languages: 'Language',
    back: 'Back to the wallet',
  },
};

const query = new URLSearchParams(location.search);
const find = (id) => document.getElementById(id);
const buttons = [...document.querySelectorAll('[data-language]')];

let spoken = languageAsked();

function speak(language) {
  spoken = language;
  const words = WORDS[language];
  markLanguage(language);
  for (const id of ['motto', 'label-username', 'label-password', 'enter', 'hint', 'wrong', 'back'])
    find(id).textContent = words[id];
  find('show').textContent = find('password').type === 'password' ? words.show : words.hide;
  find('lang').value = language;
  document.querySelector('.languages').setAttribute('aria-label', words.languages);
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.language === language));
}

for (const button of buttons) button.addEventListener('click', () => speak(button.dataset.language));
find('show').addEventListener('click', () => {
  const hidden = find('password').type === 'password';
  find('password').type = hidden ? 'text' : 'password';
  find('show').setAttribute('aria-pressed', String(hidden));
  speak(spoken);
});
// A second press while the first is on its way would only begin a second session.
find('form').addEventListener('submit', () => {
  find('enter').disabled = true;
});
addEventListener('pageshow', () => {
  find('enter').disabled = false;
});

const provider = location.pathname.split('/')[2];
fetch(`/games/${provider}/about`)
  .then((response) => response.json())
  .then(({ title }) => {
    document.title = title;
    document.querySelector('h1').textContent = title;
  })
  .catch(() => undefined);
fetch('/phone/links')
  .then((response) => response.json())
  .then(({ app }) => {
    find('back').href = app;
    find('back').hidden = false;
  })
  .catch(() => undefined);
find('form').action = `${location.pathname.replace(/\/+$/, '')}/login`;
find('wrong').hidden = query.get('wrong') !== '1';
if (query.get('wrong') === '1') find('username').setAttribute('aria-describedby', 'wrong');
speak(spoken);
