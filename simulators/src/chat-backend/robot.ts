/** A message in the format of the operator's API. */
export type ChatMessage = { message_type: string; payload: Record<string, unknown> };

type RobotLanguage = 'th' | 'la' | 'en';

const ROBOT_TEXTS = {
  th: {
    hello: 'สวัสดีค่ะ ยินดีต้อนรับ ต้องการให้ช่วยเรื่องไหนคะ',
    deposit: 'ฝากเงิน',
    withdraw: 'ถอนเงิน',
    games: 'เกม',
    person: 'คุยกับเจ้าหน้าที่',
    depositText: 'เงินที่โอนเข้ามาจะเข้ากระเป๋าภายใน 1 นาที ถ้ายังไม่เข้า ส่งรูปสลิปมาในแชตนี้ได้เลยค่ะ',
    open: 'เปิดหน้าวิธีใช้',
    call: 'โทรหาเรา',
    withdrawText: 'เงินถอนจะเข้าบัญชีที่ลงทะเบียนไว้ ดูสถานะได้ในหน้ารายการค่ะ',
    gamesTitle: 'เข้าเกม',
    gamesSub: 'เลือกการ์ดเกมในหน้าแรก แล้วกดเล่น',
    balanceTitle: 'ยอดเงินในเกม',
    balanceSub: 'กดเช็กยอดในหน้าแรก ยอดจะเป็นปัจจุบัน',
    file: 'ได้รับไฟล์แล้วค่ะ เจ้าหน้าที่จะเปิดดูและตอบในแชตนี้',
    wait: 'ส่งต่อให้เจ้าหน้าที่แล้วค่ะ เจ้าหน้าที่จะตอบในแชตนี้',
    thanks: 'ได้รับข้อความแล้วค่ะ เจ้าหน้าที่จะตอบในแชตนี้ หรือเลือกเรื่องด้านล่าง',
    queue: (position: number, minutes: number) => `คุณอยู่คิวที่ ${position} รอประมาณ ${minutes} นาทีค่ะ`,
  },
  la: {
    hello: 'ສະບາຍດີ ຍິນດີຕ້ອນຮັບ ຕ້ອງການໃຫ້ຊ່ວຍເລື່ອງໃດ',
    deposit: 'ຝາກເງິນ',
    withdraw: 'ຖອນເງິນ',
    games: 'ເກມ',
    person: 'ລົມກັບພະນັກງານ',
    depositText: 'ເງິນທີ່ໂອນເຂົ້າມາຈະເຂົ້າກະເປົາພາຍໃນ 1 ນາທີ ຖ້າຍັງບໍ່ເຂົ້າ ສົ່ງຮູບສະລິບມາໃນແຊັດນີ້ໄດ້ເລີຍ',
    open: 'ເປີດໜ້າວິທີໃຊ້',
    call: 'ໂທຫາພວກເຮົາ',
    withdrawText: 'ເງິນຖອນຈະເຂົ້າບັນຊີທີ່ລົງທະບຽນໄວ້ ເບິ່ງສະຖານະໄດ້ໃນໜ້າລາຍການ',
    gamesTitle: 'ເຂົ້າເກມ',
    gamesSub: 'ເລືອກບັດເກມໃນໜ້າຫຼັກ ແລ້ວກົດຫຼິ້ນ',
    balanceTitle: 'ຍອດເງິນໃນເກມ',
    balanceSub: 'ກົດກວດຍອດໃນໜ້າຫຼັກ ຍອດຈະເປັນປັດຈຸບັນ',
    file: 'ໄດ້ຮັບໄຟລ໌ແລ້ວ ພະນັກງານຈະເປີດເບິ່ງ ແລະ ຕອບໃນແຊັດນີ້',
    wait: 'ສົ່ງຕໍ່ໃຫ້ພະນັກງານແລ້ວ ພະນັກງານຈະຕອບໃນແຊັດນີ້',
    thanks: 'ໄດ້ຮັບຂໍ້ຄວາມແລ້ວ ພະນັກງານຈະຕອບໃນແຊັດນີ້ ຫຼື ເລືອກເລື່ອງດ້ານລຸ່ມ',
    queue: (position: number, minutes: number) => `ທ່ານຢູ່ຄິວທີ ${position} ລໍຖ້າປະມານ ${minutes} ນາທີ`,
  },
  en: {
    hello: 'Hello and welcome. What can we help you with?',
    deposit: 'Deposit',
    withdraw: 'Withdraw',
    games: 'Games',
    person: 'Talk to a person',
    depositText: 'A transfer is in your wallet within a minute. If it is not, send us the slip right here.',
    open: 'Open the how-to',
    call: 'Call us',
    withdrawText: 'A withdrawal goes to the account you registered. Its state stands in your statement.',
    gamesTitle: 'Enter a game',
    gamesSub: 'Choose a card on the home page and press play.',
    balanceTitle: 'Balance in games',
    balanceSub: 'Check balance on the home page brings it up to date.',
    file: 'Got your file. Someone on our team will look at it and answer you here.',
    wait: 'We passed you on to our team. Someone will answer you here.',
    thanks: 'Got your message. Someone on our team will answer you here, or choose below.',
    queue: (position: number, minutes: number) =>
      `You are number ${position} in the queue. The wait is about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  },
} as const;

/** Detects the language of a text: Lao script, Latin letters only, else Thai. */
function languageOf(text: string): RobotLanguage {
  if (/[\u0e81-\u0edf]/.test(text)) return 'la';
  return /[\u0e01-\u0e5b]/.test(text) || !/[a-z]/i.test(text) ? 'th' : 'en';
}

/** Text of a customer's message of any type. */
export function wordsOf({ payload }: ChatMessage): string {
  const text = payload['text'] ?? payload['title'] ?? payload['message'];
  return typeof text === 'string' ? text : '';
}

/** Expected minutes per customer in the queue. */
const MINUTES_PER_CUSTOMER = 3;

const topicOf = ({ message_type: type, payload }: ChatMessage): unknown =>
  type === 'postback' ? payload['payload'] : undefined;

/** Whether a customer asks for a person. */
function asksForPerson(message: ChatMessage): boolean {
  const isTitle = Object.values(ROBOT_TEXTS).some(({ person }) => person === message.payload['text']);
  return topicOf(message) === 'topic:person' || isTitle;
}

const ANSWERED_TOPICS: ReadonlySet<unknown> = new Set(['topic:deposit', 'topic:withdraw', 'topic:games']);

/**
 * Whether only a person can reply: to a file, a request for a person, or a message beyond the robot. The first message
 * gets a greeting.
 */
export function needsPerson(message: ChatMessage, isFirst: boolean): boolean {
  if (message.message_type === 'media' || asksForPerson(message)) return true;
  return !isFirst && !ANSWERED_TOPICS.has(topicOf(message));
}

/** State of the conversation for the robot's reply. */
export type RobotContext = {
  isFirst: boolean;
  /** The customer's last text. */
  words: string;
  /** The customer's position in the queue, from 1. */
  position: number;
  /** Address of the operator's site, for links. */
  siteUrl: string;
};

/** The robot's reply to a message, in the customer's language; at most one message. */
export function answerOf(
  message: ChatMessage,
  { isFirst, words: customerText, position, siteUrl }: RobotContext,
): ChatMessage {
  const texts = ROBOT_TEXTS[languageOf(customerText)];
  const choiceOf = (topic: 'deposit' | 'withdraw' | 'games' | 'person') => ({
    title: texts[topic],
    payload: `topic:${topic}`,
  });
  const choices = [choiceOf('deposit'), choiceOf('withdraw'), choiceOf('games'), choiceOf('person')];
  const choiceMessage = (text: string): ChatMessage => ({
    message_type: 'quick_replies',
    payload: { text, quick_replies: choices },
  });
  const withQueuePosition = (text: string): string =>
    `${text}\n${texts.queue(position, position * MINUTES_PER_CUSTOMER)}`;
  const textMessage = (text: string): ChatMessage => ({ message_type: 'text', payload: { text } });
  if (message.message_type === 'media') return textMessage(withQueuePosition(texts.file));
  if (asksForPerson(message)) return textMessage(withQueuePosition(texts.wait));
  switch (topicOf(message)) {
    case 'topic:deposit':
      return {
        message_type: 'buttons',
        payload: {
          text: texts.depositText,
          buttons: [
            { type: 'web', title: texts.open, url: `${siteUrl}/howto` },
            { type: 'call', title: texts.call, phone: '+66 2 000 0000' },
            { type: 'postback', title: texts.person, payload: 'topic:person' },
          ],
        },
      };
    case 'topic:withdraw':
      return choiceMessage(texts.withdrawText);
    case 'topic:games': {
      const cardOf = (title: string, subtitle: string) => ({
        title,
        subtitle,
        image_url: '',
        buttons: [{ type: 'other', title: texts.person }],
      });
      return {
        message_type: 'generic',
        payload: {
          elements: [cardOf(texts.gamesTitle, texts.gamesSub), cardOf(texts.balanceTitle, texts.balanceSub)],
        },
      };
    }
  }
  return choiceMessage(isFirst ? texts.hello : withQueuePosition(texts.thanks));
}
