import type { Language } from '@krapao/contract/languages';
import { timeOf } from '../../platform/time.ts';

/** A message of Thai or Lao text has up to 70 characters, or 67 in each part. */
const NAME_CHARACTERS_MAX = 20;

type Texts = { other: string } & Readonly<Record<string, string>>;

// Without a link: members should not follow links in text messages, which can be forged.
const TEXTS: Readonly<Record<Language, Texts>> = {
  th: {
    password: 'เปลี่ยนรหัสผ่าน {time} เครื่องอื่นออกจากระบบแล้ว ถ้าไม่ใช่คุณ ติดต่อทีมงานในแอปทันที',
    bankAccount: 'เปลี่ยนบัญชีธนาคาร {time} ถ้าไม่ใช่คุณ ติดต่อทีมงานในแอปทันที',
    phone: 'เปลี่ยนเบอร์โทรของบัญชี {time} ถ้าไม่ใช่คุณ ติดต่อทีมงานในแอปทันที',
    accountClosed: 'บัญชีถูกปิดใช้งาน {time} ติดต่อทีมงานในแอป',
    accountOpened: 'บัญชีเปิดใช้งานแล้ว {time} เข้าสู่ระบบได้ตามเดิม',
    walletClosed: 'กระเป๋าถูกปิดชั่วคราว {time} ติดต่อทีมงานในแอป',
    walletOpened: 'กระเป๋าใช้งานได้แล้ว {time}',
    other: 'ข้อมูลความปลอดภัยของบัญชีเปลี่ยน {time} ถ้าไม่ใช่คุณ ติดต่อทีมงานในแอปทันที',
  },
  la: {
    password: 'ປ່ຽນລະຫັດຜ່ານ {time} ເຄື່ອງອື່ນອອກຈາກລະບົບແລ້ວ ຖ້າບໍ່ແມ່ນທ່ານ ຕິດຕໍ່ທີມງານໃນແອັບທັນທີ',
    bankAccount: 'ປ່ຽນບັນຊີທະນາຄານ {time} ຖ້າບໍ່ແມ່ນທ່ານ ຕິດຕໍ່ທີມງານໃນແອັບທັນທີ',
    phone: 'ປ່ຽນເບີໂທຂອງບັນຊີ {time} ຖ້າບໍ່ແມ່ນທ່ານ ຕິດຕໍ່ທີມງານໃນແອັບທັນທີ',
    accountClosed: 'ບັນຊີຖືກປິດການນຳໃຊ້ {time} ຕິດຕໍ່ທີມງານໃນແອັບ',
    accountOpened: 'ບັນຊີເປີດໃຫ້ນຳໃຊ້ແລ້ວ {time} ເຂົ້າສູ່ລະບົບໄດ້ຄືເກົ່າ',
    walletClosed: 'ກະເປົາຖືກປິດຊົ່ວຄາວ {time} ຕິດຕໍ່ທີມງານໃນແອັບ',
    walletOpened: 'ກະເປົານຳໃຊ້ໄດ້ແລ້ວ {time}',
    other: 'ຂໍ້ມູນຄວາມປອດໄພຂອງບັນຊີປ່ຽນ {time} ຖ້າບໍ່ແມ່ນທ່ານ ຕິດຕໍ່ທີມງານໃນແອັບທັນທີ',
  },
  en: {
    password: 'Password changed {time}, other devices logged out. Not you? Contact support in the app right away.',
    bankAccount: 'Bank account changed {time}. Not you? Contact support in the app right away.',
    phone: 'Phone number of your account changed {time}. Not you? Contact support in the app right away.',
    accountClosed: 'Your account was closed {time}. Contact support in the app.',
    accountOpened: 'Your account is open again since {time}. You can log in.',
    walletClosed: 'Your wallet was closed {time}. Contact support in the app.',
    walletOpened: 'Your wallet is open again since {time}.',
    other: 'Security of your account changed {time}. Not you? Contact support in the app right away.',
  },
};

/** Text message about a change of access, in one part in English and at most two in Thai or Lao. */
export function formatSecuritySms(
  subject: string,
  language: Language,
  { siteName, at }: { siteName: string; at: Date },
): string {
  const texts = TEXTS[language];
  const text = Object.hasOwn(texts, subject) ? texts[subject] : undefined;
  return `${shortenName(siteName)}: ${(text ?? texts.other).replace('{time}', formatShortTime(at))}`;
}

/** Phones make a name with a dot or slash a link. */
const shortenName = (name: string): string =>
  name
    .replaceAll(/[./:@]+/g, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/\p{Surrogate}$/u, '');

/** 28/11 14:05 in Bangkok, which is also the time in Vientiane. */
function formatShortTime(at: Date): string {
  return timeOf(at).replace(/^\d+-(\d+)-(\d+) (\d+:\d+).*$/, '$2/$1 $3');
}
