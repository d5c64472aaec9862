import type { Page } from '@playwright/test';
import { openChat } from '../../support/chat.ts';
import { outsideUrl, supportConversations, supportMessages } from '../../support/outside.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { type Language, speaking } from '../../support/words.ts';

const ICON = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
/** A picture is re-encoded, forwarded and answered. */
const ANSWER = { timeout: 60_000 };

const ROBOT = {
  th: { hello: 'สวัสดีค่ะ', queue: /คุณอยู่คิวที่ \d+ รอประมาณ \d+ นาที/, waits: /^รอคำตอบตั้งแต่/ },
  la: { hello: 'ສະບາຍດີ', queue: /ທ່ານຢູ່ຄິວທີ \d+ ລໍຖ້າປະມານ \d+ ນາທີ/, waits: /^ລໍຖ້າຄຳຕອບຕັ້ງແຕ່/ },
  en: {
    hello: 'hello',
    queue: /You are number \d+ in the queue\. The wait is about \d+ minutes/,
    waits: /^Waiting since/,
  },
};

/** Conversation whose first message is these words. */
async function conversationWith(words: string): Promise<string> {
  for (const { id } of await supportConversations()) {
    const messages = await supportMessages(id);
    if (messages.some(({ message }) => message.payload['text'] === words)) return id;
  }
  throw new Error(`support has not read ${words}`);
}

async function openDesk(page: Page, language: Language, id: string): Promise<Page> {
  const desk = await page.context().newPage();
  await desk.goto(`${outsideUrl()}/support?l=${language}`);
  await desk.locator(`[data-id="${id}"]`).click();
  return desk;
}

for (const language of ['th', 'la', 'en'] as const)
  test(`a sent file puts the customer in the queue, which the robot says with the expected wait, and the desk shows the picture (${language})`, async ({
    memberPage: page,
    member,
  }) => {
    const { hello, queue, waits } = ROBOT[language];
    const words = `${hello} ${member.phone}`;
    const say = speaking('th');
    await acceptAgreement(page);
    const chat = await openChat(page, say);
    await chat.getByRole('textbox', { name: say('chat:message') }).fill(words);
    await chat.getByRole('button', { name: say('chat:send'), exact: true }).click();
    await expect(chat.getByRole('list', { name: say('chat:media.quickReplies') })).toBeVisible(ANSWER);
    const choosing = page.waitForEvent('filechooser');
    await chat.getByRole('button', { name: say('chat:attach.button') }).click();
    await (await choosing).setFiles(ICON.pathname);
    await page
      .getByRole('dialog', { name: say('chat:attach.title') })
      .getByRole('button', { name: say('chat:attach.send_other', { count: 1 }) })
      .click();
    await expect(chat.getByRole('log').getByText(queue)).toBeVisible(ANSWER);

    const desk = await openDesk(page, language, await conversationWith(words));
    await expect(desk.locator('#since')).toHaveText(waits);
    const picture = desk.locator('#talk img');
    await expect(picture).toBeVisible();
    await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  });
