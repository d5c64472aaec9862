import type { Currency } from '../money.ts';

/** A bank: its code on the wire, its three-digit number on slips, names in three languages and colour. */
export type Bank = { code: string; number: string; nameTH: string; nameLA: string; nameEN: string; color: string };

const LAO_BANKS: ReadonlySet<string> = new Set([
  'BCEL',
  'LDB',
  'APB',
  'JDB',
  'LVB',
  'MJB',
  'IDB',
  'PSV',
  'BFL',
  'VTB',
  'ACLE',
  'STB',
  'VMB',
]);

export const BANKS: readonly Bank[] = [
  { code: 'KBANK', number: '004', nameTH: 'กสิกรไทย', nameLA: 'ກະສິກອນໄທ', nameEN: 'Kasikornbank', color: '#157a3e' },
  { code: 'SCB', number: '014', nameTH: 'ไทยพาณิชย์', nameLA: 'ໄທພານິດ', nameEN: 'Siam Commercial', color: '#5b2d8e' },
  { code: 'BBL', number: '002', nameTH: 'กรุงเทพ', nameLA: 'ກຸງເທບ', nameEN: 'Bangkok Bank', color: '#23438f' },
  { code: 'KTB', number: '006', nameTH: 'กรุงไทย', nameLA: 'ກຸງໄທ', nameEN: 'Krung Thai', color: '#0b74a3' },
  { code: 'BAY', number: '025', nameTH: 'กรุงศรีอยุธยา', nameLA: 'ກຸງສີ', nameEN: 'Krungsri', color: '#8a6700' },
  {
    code: 'TTB',
    number: '011',
    nameTH: 'ทหารไทยธนชาต',
    nameLA: 'ທະຫານໄທທະນະຊາດ',
    nameEN: 'TMBThanachart',
    color: '#1d5fd0',
  },
  { code: 'TMB', number: '011', nameTH: 'ทหารไทย', nameLA: 'ທະຫານໄທ', nameEN: 'TMB', color: '#1d6fb0' },
  { code: 'GSB', number: '030', nameTH: 'ออมสิน', nameLA: 'ອອມສິນ', nameEN: 'Government Savings', color: '#c42a6e' },
  { code: 'BAAC', number: '034', nameTH: 'ธ.ก.ส.', nameLA: 'BAAC', nameEN: 'BAAC', color: '#2c7a3a' },
  {
    code: 'GHB',
    number: '033',
    nameTH: 'อาคารสงเคราะห์',
    nameLA: 'ອາຄານສົງເຄາະ',
    nameEN: 'Government Housing',
    color: '#ae5314',
  },
  { code: 'UOB', number: '024', nameTH: 'ยูโอบี', nameLA: 'UOB', nameEN: 'UOB', color: '#1c3f94' },
  { code: 'CIMB', number: '022', nameTH: 'ซีไอเอ็มบี', nameLA: 'CIMB', nameEN: 'CIMB Thai', color: '#8f1d22' },
  {
    code: 'KKP',
    number: '069',
    nameTH: 'เกียรตินาคินภัทร',
    nameLA: 'ກຽດນາຄິນພັດ',
    nameEN: 'Kiatnakin Phatra',
    color: '#5a5398',
  },
  {
    code: 'LHB',
    number: '073',
    nameTH: 'แลนด์ แอนด์ เฮ้าส์',
    nameLA: 'ແລນ ແອນ ເຮົາ',
    nameEN: 'Land and Houses',
    color: '#4f6d7a',
  },
  { code: 'TISCO', number: '067', nameTH: 'ทิสโก้', nameLA: 'ທິສໂກ້', nameEN: 'TISCO', color: '#1f5aa6' },
  { code: 'BCEL', number: '999', nameTH: 'บีซีอีแอล', nameLA: 'ການຄ້າຕ່າງປະເທດລາວ', nameEN: 'BCEL', color: '#c1272d' },
];

/** Currency of a person's account at a bank. */
export function currencyOf(code: string): Currency {
  return LAO_BANKS.has(code) ? 'LAK' : 'BAHT';
}

/** The three-digit number of a bank on a slip; unknown banks share 000. */
export function bankNumber(code: string): string {
  return BANKS.find((bank) => bank.code === code)?.number ?? '000';
}
