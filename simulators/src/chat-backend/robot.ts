/** A message in the format of the operator's API. */
export type ChatMessage = { message_type: string; payload: Record<string, unknown> };

type Language = 'th' | 'la' | 'en';

const WORDS = {
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
    picture: 'ได้รับรูปแล้วค่ะ กำลังตรวจสอบให้',
    wait: 'กำลังตามเจ้าหน้าที่ให้ รอสักครู่นะคะ',
    thanks: 'ได้รับข้อความแล้วค่ะ เลือกเรื่องด้านล่าง หรือรอเจ้าหน้าที่สักครู่นะคะ',
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
    picture: 'ໄດ້ຮັບຮູບແລ້ວ ກຳລັງກວດໃຫ້',
    wait: 'ກຳລັງຕາມພະນັກງານໃຫ້ ກະລຸນາລໍຖ້າ',
    thanks: 'ໄດ້ຮັບຂໍ້ຄວາມແລ້ວ ເລືອກເລື່ອງດ້ານລຸ່ມ ຫຼື ລໍຖ້າພະນັກງານ',
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
    picture: 'Got your file. We are looking at it.',
    wait: 'Connecting you to our team. One moment, please.',
    thanks: 'Got your message. Choose below, or wait a moment for our team.',
  },
} as const;

/** Thai unless it is written in Lao, or only in Latin letters. */
function languageOf(text: string): Language {
  if (/[\u0e81-\u0edf]/.test(text)) return 'la';
  return /[\u0e01-\u0e5b]/.test(text) || !/[a-z]/i.test(text) ? 'th' : 'en';
}

/** The text of a customer's message of any type. */
export function wordsOf({ payload }: ChatMessage): string {
  const words = payload['text'] ?? payload['title'] ?? payload['message'];
  return typeof words === 'string' ? words : '';
}

/** Whether a customer asks for a person: then messages of the robot do not count as answers. */
export function asksForPerson({ message_type: type, payload }: ChatMessage): boolean {
  const isTitle = Object.values(WORDS).some(({ person }) => person === payload['text']);
  return type === 'postback' ? payload['payload'] === 'topic:person' : isTitle;
}

/**
 * The robot's reply to a customer's message, in its language; at most one message.
 * @param siteUrl address of the operator's site, for links
 */
export function answerOf(message: ChatMessage, isFirst: boolean, siteUrl: string): ChatMessage {
  const words = WORDS[languageOf(wordsOf(message))];
  const choice = (topic: 'deposit' | 'withdraw' | 'games' | 'person') => ({
    title: words[topic],
    payload: `topic:${topic}`,
  });
  const choices = [choice('deposit'), choice('withdraw'), choice('games'), choice('person')];
  const ask = (text: string): ChatMessage => ({
    message_type: 'quick_replies',
    payload: { text, quick_replies: choices },
  });
  if (message.message_type === 'media') return { message_type: 'text', payload: { text: words.picture } };
  switch (message.message_type === 'postback' ? message.payload['payload'] : undefined) {
    case 'topic:deposit':
      return {
        message_type: 'buttons',
        payload: {
          text: words.depositText,
          buttons: [
            { type: 'web', title: words.open, url: `${siteUrl}/howto` },
            { type: 'call', title: words.call, phone: '+66 2 000 0000' },
            { type: 'postback', title: words.person, payload: 'topic:person' },
          ],
        },
      };
    case 'topic:withdraw':
      return ask(words.withdrawText);
    case 'topic:games': {
      const card = (title: string, subtitle: string) => ({
        title,
        subtitle,
        image_url: '',
        buttons: [{ type: 'other', title: words.person }],
      });
      return {
        message_type: 'generic',
        payload: {
          elements: [card(words.gamesTitle, words.gamesSub), card(words.balanceTitle, words.balanceSub)],
        },
      };
    }
    case 'topic:person':
      return { message_type: 'text', payload: { text: words.wait } };
  }
  return ask(isFirst ? words.hello : words.thanks);
}
