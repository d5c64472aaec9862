import type { Language } from '@krapao/contract/languages';

/** Texts by key, `namespace.path.key` with the plural suffix. */
export type Texts = ReadonlyMap<string, string>;

type WordingRule = { pattern: RegExp; reason: string };

const forbid = (pattern: RegExp, reason: string): WordingRule => ({ pattern, reason });

/** Wordings of the specification, exempt from the English rules below. */
const KEPT_ENGLISH = [
  'File is not supported. Accepted types: mp4, quicktime, png, jpeg, jpg, gif',
  'The account number does not match the registered one',
  'could not verify your identity',
  'Cannot read slip',
];

/** Terms that must not be used, with the right term for each. See docs/wording.md. */
const TERM_RULES: Readonly<Record<Language, readonly WordingRule[]>> = {
  th: [
    forbid(/ล็อกอิน/, 'เข้าสู่ระบบ'),
    forbid(/โปรด/, 'กรุณา'),
    forbid(/วอลเล็ท/, 'วอลเล็ต'),
    forbid(/เช็ค|รีเฟรช/, 'เช็ก'),
    forbid(/เซสชัน/, 'การเข้าใช้งาน'),
    forbid(/เจ้าหน้าที่/, 'ทีมงาน'),
    forbid(/(?<!คุณ|ตน)เอง/, 'อัตโนมัติ or ทันที; เอง only for yourself'),
    forbid(/ค่ะ|ครับ/, 'no particles'),
    forbid(/เลขบัญชี/, 'เลขที่บัญชี'),
    forbid(/หาก/, 'ถ้า'),
    forbid(/แชท/, 'แชต'),
    forbid(/โปรโมชัน/, 'โปรโมชั่น'),
    forbid(/อัพโหลด/, 'อัปโหลด'),
    forbid(/คิวอาร์/, 'QR'),
    forbid(/ยังไม่รู้/, 'ยังไม่ทราบ'),
  ],
  la: [
    forbid(/ຄ່າຍ/, 'ເກມ'),
    forbid(/ໂຍກ/, 'ຍ້າຍ'),
    forbid(/ຄືນຍອດເສຍ|ຍອດຄືນ/, 'ເງິນຄືນ'),
    forbid(/ຍອດເສຍ/, 'ຍອດທີ່ເສຍ'),
    forbid(/(?<!ເພີ່ມ)ເຕີມ/, 'ຕື່ມ'),
    forbid(/ເຊັກ/, 'ກວດ'),
    forbid(/ບຶດໜຶ່ງ|ອີກຈັກໜ້ອຍ/, 'ລໍຖ້າຈັກໜ້ອຍ'),
    forbid(/ໃຊ້ງານ/, 'ນຳໃຊ້'),
    forbid(/ເຊດຊັນ/, 'ການເຂົ້າໃຊ້'),
    forbid(/ຂ້ອຍ|ເຈົ້າ(?!ຂອງ)/, 'ພວກເຮົາ, ທ່ານ'),
    forbid(/ຢູ່ທີ່ນີ້/, 'ຢູ່ນີ້'),
    forbid(/ເທື່ອ(?!ລະຂັ້ນ)/, 'ຄັ້ງ'),
    forbid(/ຍັງບໍ່ແລ້ວ/, 'ຍັງບໍ່ສຳເລັດ'),
    forbid(/(?<!ທ່ານ|ຕົນ)ເອງ/, 'ອັດຕະໂນມັດ or ທັນທີ; ເອງ only for yourself'),
    forbid(/ພະນັກງານ/, 'ທີມງານ'),
    forbid(/ຫາກ(?!ໍ)/, 'ຖ້າ'),
    forbid(/ຄິວອາ/, 'QR'),
    forbid(/ໂປໂມຊັ່ນ/, 'ໂປຣໂມຊັນ'),
    forbid(/ເຖິງ/, 'ຮອດ'),
    forbid(/ຫລ|ຫນ|ຫມ/, 'ຫຼ, ໜ, ໝ'),
    forbid(/ໍາ/, 'ຳ as one sign'),
  ],
  en: [
    forbid(/\brefund/i, 'cashback'),
    forbid(/\breceived? (a|the|your|this) (bonus|promotion|prize|coupon)/i, 'claim'),
    forbid(/\binvite (bonus|money)/i, 'referral bonus'),
    forbid(/\bsign(ed)? in\b/i, 'log in'),
    forbid(/\bstaff\b/i, 'our team'),
    forbid(/\bunder way\b/i, 'in progress'),
    forbid(/\bby (itself|themselves|ourselves)\b/i, 'automatically'),
    forbid(/\b(cannot|could not)\b/i, "can't, couldn't"),
    forbid(/\b(is|are|was|were|do|does|did|has|have|had|will|would) not\b/i, 'the contraction'),
    forbid(/\brun out\b|\bout of time\b/i, 'expired'),
    forbid(/\bstands on\b|\bgoes on\b|\bnot right\b|\bthe line\b/i, 'plain English'),
    forbid(/\bWait for it\b/i, "Wait until it's done"),
    forbid(/\b(canceled|recognize)/i, 'British spelling'),
  ],
};

const SCRIPT_RANGES = { th: '\u0e01-\u0e3a\u0e40-\u0e5b', la: '\u0e81-\u0edf' } as const;

/**
 * Requires a space between a word and a number or filled-in value; forbids it between a number and its percent sign.
 */
const spacedNumbers = (language: 'th' | 'la'): WordingRule =>
  forbid(
    new RegExp(`[${SCRIPT_RANGES[language]}](\\d|\\{\\{)|(\\d|\\}\\})[${SCRIPT_RANGES[language]}]`, 'u'),
    'a space at the number',
  );

/** Rules of spaces and punctuation. */
const SIGN_RULES: Readonly<Record<Language | 'all', readonly WordingRule[]>> = {
  all: [
    forbid(/^\s|\s$/, 'no space at an end'),
    forbid(/\s\s/, 'one space'),
    forbid(/ %/, 'no space before %'),
    forbid(/\.\.\./, '… as one sign'),
    forbid(/"/, '“ ” for buttons'),
    forbid(/!!|\?!|!\?/, 'one sign'),
    forbid(/(?<!\d)–|–(?!\d)/, '– only between numbers'),
    forbid(/(?<!\}\} |\d ?)×/, '× only after a number'),
    forbid(/\p{Extended_Pictographic}/u, 'no emoji'),
  ],
  th: [forbid(/\Sๆ|ๆ[^\s)”]/, 'a space on both sides of ๆ'), spacedNumbers('th')],
  la: [
    forbid(/\sໆ/, 'no space before ໆ'),
    forbid(/(?<!^|\s)ແລະ|ແລະ(?!\s|$)/, 'a space on both sides of ແລະ'),
    forbid(/(?<!^|\s|ເ)ຫຼື(?!ບໍ່)|(?<!ເ)ຫຼື(?!\s|ບໍ່)/, 'a space on both sides of ຫຼື'),
    spacedNumbers('la'),
  ],
  en: [forbid(/’/, "a straight apostrophe (')")],
};

const withoutKept = (text: string): string =>
  KEPT_ENGLISH.reduce((remaining, keptWord) => remaining.replaceAll(keptWord, ''), text);

/**
 * Checks terms and punctuation of one text.
 * @returns one line per fault: the match and its replacement
 */
export function wordingFaultsOf(language: Language, text: string): string[] {
  const checkedText = language === 'en' ? withoutKept(text) : text;
  const rules = [...SIGN_RULES.all, ...SIGN_RULES[language], ...TERM_RULES[language]];
  // Removing exempt wordings may leave double spaces, so punctuation is checked in the whole text.
  return rules.flatMap(({ pattern, reason }) => {
    const match = pattern.exec(SIGN_RULES.all.some((rule) => rule.pattern === pattern) ? text : checkedText)?.[0];
    return match === undefined ? [] : [`“${match}” (${reason})`];
  });
}

/** Keys whose texts may contain an exclamation mark: prizes and thanks. */
const MAY_EXCLAIM = /^(spinwheel\.|deposit\.doneToast$)/;
/** Texts that follow a colon and start with a lower-case letter. */
const AFTER_COLON = /^(parts\.withdrawReason|withdraw\.notBroughtReason)\./;
const INNER_STOP = /[.?!] +\S/;

/** Full stops in English: several sentences end with one each, a single sentence has none. */
export function stopFaultOf(key: string, text: string): string | undefined {
  if (KEPT_ENGLISH.some((keptWord) => text === keptWord)) return undefined;
  if (INNER_STOP.test(text) && !/[.!?…]$/.test(text)) return 'lacks the stop of its last sentence';
  if (!INNER_STOP.test(text) && text.endsWith('.') && text !== 'No.') return 'is one sentence with a stop';
  if (AFTER_COLON.test(key) && /^[A-Z]/.test(text)) return 'follows a colon with a capital letter';
  return undefined;
}

/** Keys whose texts must be equal within a language, because code or readers compare them. */
const SAME_TEXTS = [
  ['errors.couldNotVerifyIdentity', 'errors.errorMsg.INVALID_USER_1', 'errors.errorMsg.INVALID_USER_2'],
  ['login.phoneDigits', 'register.phoneDigits', 'errors.errorMsg.PHONE_NUMBER_REQUIRE_10_DIGIT'],
  ['profile.passwordMismatch', 'register.passwordMismatch'],
  ['profile.bankNameEnglish', 'register.bankNameEnglish', 'errors.errorMsg.BANK_ACCOUNT_NAME_ENG'],
  [
    'statement.slips.reason.UPLOADED_FILE_NOT_EXIST',
    'statement.slips.reason.IMG_SIZE_UNABLE_TO_PROCESS',
    'statement.slips.reason.CANNOT_READ_CROPPED_IMAGE',
  ],
] as const;

/** English texts that the specification prescribes literally. */
const FIXED_TRANSLATIONS: Readonly<Record<string, string>> = {
  'login.phoneDigits': 'The phone number must support 10 digits',
  'register.passwordMismatch': "Passwords don't match",
  'register.bankNameEnglish': 'Bank account name must be in English only',
  'chat.attach.notSupported': 'File is not supported. Accepted types: mp4, quicktime, png, jpeg, jpg, gif',
  'chat.attach.tooLarge': 'The file is too large. Please select file no larger than {{n}} MB.',
  'parts.copied': 'Copied: {{text}}',
  'parts.copyFailed': 'Failed to copy',
  'parts.notFound.heading': 'Page Not Found',
  'parts.terminated.heading': 'Page not found',
};

/** Beginnings or contents that the specification prescribes. */
const STEM_BY_KEY: Readonly<Record<string, RegExp>> = {
  'errors.errorMsg.UNAUTHORIZED': /^Unauthorized, please log in/,
  'errors.errorMsg.EXPIRED_AUTH_TOKEN': /^Expired authorization token/,
  // Also the could-not-verify-identity text, which leads to the login page.
  'errors.errorMsg.INVALID_USER_1': /^Invalid user: could not verify your identity/,
  'errors.errorMsg.INVALID_USER_2': /^Invalid user: could not verify your identity/,
  'errors.errorMsg.INVALID_USER_3': /^Invalid user/,
  'errors.errorMsg.INVALID_USER_4': /^Invalid user/,
  'errors.errorMsg.WRONG_CREDENTIAL': /^Incorrect phone number\/password/,
  'errors.errorMsg.INACTIVE_USER': /^This user has been deactivated/,
  'errors.errorMsg.OTP_BLOCK': /^Too many requests, please wait a moment/,
  'errors.errorMsg.REQUEST_LIMIT': /^Too many requests, please wait a moment/,
  'errors.errorMsg.REQUEST_LIMIT_1MIN': /wait about 1 minute/,
  'errors.errorMsg.OTP_VERIFIED': /already verified/,
  'errors.errorMsg.UNVERIFIED_OTP': /verify your phone number via OTP code/,
  'errors.errorMsg.EXISTING_USER': /user number already exists/,
  'errors.errorMsg.EXISTING_BANK': /bank account already exists/,
  'errors.errorMsg.REFUND_MINIMUM': /must be more than 0 baht/,
  'errors.errorMsg.TRANSFER_MINIMUM': /over 0/,
  'errors.errorMsg.MONEY_NOT_ENOUGH': /^Insufficient funds/,
  'errors.errorMsg.TRANSFER_FAIL': /funds were returned to your wallet/,
  'statement.slips.reason.CANNOT_READ_CROPPED_IMAGE': /^Incorrect slip/,
  'statement.slips.reason.DEST_ACC_INVALID': /^Incorrect destination account/,
  'statement.slips.reason.SLIP_REFNO_DUPLICATED': /^Duplicate slip/,
  'statement.slips.reason.UNSTABLE_REFNO_ON_SLIP': /^Unreadable reference/,
  'statement.slips.reason.TRIPPLE_WRONG_CAPTCHA': /^Three wrong captchas in a row/,
  'statement.slips.reason.INVALID_SLIP': /^Cannot read slip/,
  'statement.slips.reason.NOT_MATCH': /^The account number does not match the registered one/,
  'statement.slips.reason.EXPIRED_SLIP': /^Expired slip/,
  'statement.slips.reason.UNKNOW_ERROR': /^Unknown error.*contact/,
};

function englishFaults(texts: Texts): string[] {
  const faults: string[] = [];
  for (const [key, text] of texts) {
    const fault = stopFaultOf(key, text);
    if (fault !== undefined) faults.push(`en ${key} ${fault}`);
    if (key.endsWith('_other') && !texts.has(key.replace(/_other$/, '_one')))
      faults.push(`en ${key} has no form for one`);
  }
  for (const [key, text] of Object.entries(FIXED_TRANSLATIONS))
    if (texts.get(key) !== text) faults.push(`en ${key} is not “${text}”`);
  for (const [key, stem] of Object.entries(STEM_BY_KEY))
    if (!stem.test(texts.get(key) ?? '')) faults.push(`en ${key} has not ${String(stem)}`);
  return faults;
}

/** Checks punctuation, terms and quoted button texts of one language, and its texts that must be equal. */
function ownFaults(language: Language, texts: Texts): string[] {
  const allTexts = new Set(texts.values());
  const faults = [...texts].flatMap(([key, text]) => [
    ...wordingFaultsOf(language, text).map((fault) => `${language} ${key} has ${fault}`),
    ...(text.includes('!') && !MAY_EXCLAIM.test(key) ? [`${language} ${key} has an exclamation mark`] : []),
    ...[...text.matchAll(/“([^”]*)”/g)]
      .filter(([, quoted = '']) => !allTexts.has(quoted) && !/^{{\w+}}$/.test(quoted))
      .map(([quoted]) => `${language} ${key} quotes ${quoted}, which is no text of the app`),
  ]);
  const differences = SAME_TEXTS.flatMap(([firstKey, ...otherKeys]) =>
    otherKeys
      .filter((otherKey) => texts.get(otherKey) !== texts.get(firstKey))
      .map((otherKey) => `${language} ${otherKey} differs from ${firstKey}`),
  );
  return [...faults, ...differences];
}

/** Lao uses ຍ້າຍ for Thai โยก (between wallet and games), and ໂອນ for โอน (by a bank). */
function transferFaults(thai: Texts, lao: Texts): string[] {
  return [...thai].flatMap(([key, text]) => {
    const laoText = lao.get(key) ?? '';
    const isGame = text.includes('โยก');
    if (isGame && (laoText.includes('ໂອນ') || !laoText.includes('ຍ້າຍ'))) return [`la ${key} is not ຍ້າຍ`];
    return text.includes('โอน') && laoText.includes('ຍ້າຍ') ? [`la ${key} is ຍ້າຍ, and th is โอน`] : [];
  });
}

/**
 * Checks the wording of all catalogues: terms, punctuation, quoted buttons, equal and prescribed texts.
 * @returns one sentence per fault
 */
export function wordingFaults({ th, la, en }: Readonly<Record<Language, Texts>>): string[] {
  return [
    ...ownFaults('th', th),
    ...ownFaults('la', la),
    ...ownFaults('en', en),
    ...englishFaults(en),
    ...transferFaults(th, la),
  ];
}
