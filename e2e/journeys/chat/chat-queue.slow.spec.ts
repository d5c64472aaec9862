import type { Page } from '@playwright/test';
import { openChat } from '../../support/chat.ts';
import { simulatorsUrl, supportConversations, supportMessages } from '../../support/simulators.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';

const ICON_URL = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
/** A picture is re-encoded, forwarded and answered. */
const REPLY_TIMEOUT = { timeout: 60_000 };

const ROBOT_TEXTS = {
  th: { hello: 'สวัสดีค่ะ', queue: /คุณอยู่คิวที่ \d+ รอประมาณ \d+ นาที/, waits: /^รอคำตอบตั้งแต่/ },
  la: { hello: 'ສະບາຍດີ', queue: /ທ່ານຢູ່ຄິວທີ \d+ ລໍຖ້າປະມານ \d+ ນາທີ/, waits: /^ລໍຖ້າຄຳຕອບຕັ້ງແຕ່/ },
  en: {
    hello: 'hello',
    queue: /You are number \d+ in the queue\. The wait is about \d+ minutes/,
    waits: /^Waiting since/,
  },
};

/** Finds the conversation whose first message is this text. */
async function findConversation(messageText: string): Promise<string> {
  for (const { id } of await supportConversations()) {
    const messages = await supportMessages(id);
    if (messages.some(({ message }) => message.payload['text'] === messageText)) return id;
  }
  throw new Error(`support has not read ${messageText}`);
}

async function openDesk(page: Page, language: Language, id: string): Promise<Page> {
  const deskPage = await page.context().newPage();
  await deskPage.goto(`${simulatorsUrl()}/support?l=${language}`);
  await deskPage.locator(`[data-id="${id}"]`).click();
  return deskPage;
}

for (const language of ['th', 'la', 'en'] as const)
  test(`a sent file puts the customer in the queue; the robot states the wait, and support sees the picture (${language})`, async ({
    memberPage: page,
    member,
  }) => {
    const { hello, queue, waits } = ROBOT_TEXTS[language];
    const messageText = `${hello} ${member.phone}`;
    const translate = translatorFor('th');
    await acceptAgreement(page);
    const chat = await openChat(page, translate);
    await chat.getByRole('textbox', { name: translate('chat:message') }).fill(messageText);
    await chat.getByRole('button', { name: translate('chat:send'), exact: true }).click();
    await expect(chat.getByRole('list', { name: translate('chat:media.quickReplies') })).toBeVisible(REPLY_TIMEOUT);
    const fileChooser = page.waitForEvent('filechooser');
    await chat.getByRole('button', { name: translate('chat:attach.button') }).click();
    await (await fileChooser).setFiles(ICON_URL.pathname);
    await page
      .getByRole('dialog', { name: translate('chat:attach.title') })
      .getByRole('button', { name: translate('chat:attach.send_other', { count: 1 }) })
      .click();
    await expect(chat.getByRole('log').getByText(queue)).toBeVisible(REPLY_TIMEOUT);

    const deskPage = await openDesk(page, language, await findConversation(messageText));
    await expect(deskPage.locator('#since')).toHaveText(waits);
    const deskImage = deskPage.locator('#talk img');
    await expect(deskImage).toBeVisible();
    await expect.poll(() => deskImage.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  });
