import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { chatBubble, chatInput, chatLog, conversationOf, readMemberMessageTexts } from '../../support/chat.ts';
import { GAMES } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { simulatorsUrl } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, type Translate, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, gameCard, sendWithdrawal } from '../../support/user-actions.ts';

/** Support's page in each language: status and note of a foreign movement. */
const DESK_TEXTS = {
  th: { done: 'สำเร็จ', notTheirs: 'ไม่ใช่รายการของสมาชิกนี้' },
  la: { done: 'ສຳເລັດ', notTheirs: 'ບໍ່ແມ່ນລາຍການຂອງສະມາຊິກນີ້' },
  en: { done: 'Success', notTheirs: 'Not a movement of this member' },
} as const satisfies Record<Language, object>;

async function makeTransfer(member: Member): Promise<string> {
  await fundWallet(member, 300);
  await openGameAccount(member, 'pg');
  const body = { from: 'WALLET', to: 'pg', amount: 20 };
  return (await api<{ reference: string }>('POST', '/api/wallet/transfer', { token: member.token, body })).body
    .reference;
}

/** A transfer that the server refuses with this reference: the message covers the transfer dialog. */
async function openRefusedTransfer(page: Page, translate: Translate, reference: string): Promise<Locator> {
  await page.route('**/api/wallet/transfer', (route) =>
    route.fulfill({ status: 502, json: { message: 'TRANSFER_FAIL', reference } }),
  );
  await buttonByName(page, translate('home:transfer')).click();
  const sheet = dialogByName(page, translate('transfer:title'));
  await sheet.getByLabel(translate('transfer:amount')).fill('5');
  await buttonByName(sheet, translate('transfer:submit')).click();
  const failure = dialogByName(page, translate('transfer:failureTitle'));
  await expect(failure).toBeVisible();
  return failure;
}

const openIn = async (page: Page, language: Language): Promise<void> => {
  await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
  await openHome(page);
};

/** Support's page with the conversation that has a text, in a window of its own. */
async function openDesk(page: Page, language: Language, text: string): Promise<Page> {
  const desk = await page.context().newPage();
  await desk.goto(`${simulatorsUrl()}/support?l=${language}`);
  await desk.locator(`#list [data-id="${await conversationOf(text)}"]`).click();
  return desk;
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  for (const language of ['th', 'la', 'en'] as const) {
    const translate = translatorFor(language);
    test(`a failure over another dialog opens the chat with its reference, sent only by the member and seen by support: ${language}`, async ({
      memberPage: page,
      member,
    }) => {
      const reference = await makeTransfer(member);
      await openIn(page, language);
      const failure = await openRefusedTransfer(page, translate, reference);
      await expectAccessible(page, 'a refused transfer');
      // The first target of the message is focused; support is the one before it.
      await expect(buttonByName(failure, translate('common:ok'))).toBeFocused();
      await page.keyboard.press('Shift+Tab');
      await expect(buttonByName(failure, translate('errors:support.ask'))).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/\/user\/contact$/);
      const chat = dialogByName(page, translate('chat:title'));
      const question = translate('money:questionOfKind', { kind: translate('money:kind.transfer'), reference });
      await expect(chatInput(chat, translate)).toHaveValue(question);
      await expect(page.getByRole('dialog')).toHaveCount(1);
      // The keyboard would cover the messages: the heading is focused, as at every opening.
      await expect(chat.getByRole('heading', { name: translate('chat:title') })).toBeFocused();
      await expect(chat.getByRole('status').filter({ hasText: reference })).toContainText(
        translate('money:about', { kind: translate('money:kind.transfer') }),
      );
      await expect(chatLog(chat)).toBeVisible();
      await expectAccessible(page, 'the chat with a reference');
      expect(await readMemberMessageTexts(member)).toEqual([]);
      await buttonByName(chat, translate('chat:send')).click();
      await expect(chatBubble(chat, question)).toBeVisible();
      await expect(chatInput(chat, translate)).toHaveValue('');
      await expect(chat.getByRole('status').filter({ hasText: reference })).toHaveCount(0);
      // The member is where the question was asked. Behind the chat the page did not scroll; afterwards it does.
      await page.keyboard.press('Escape');
      await expect(page).toHaveURL(/\/user\/home$/);
      const sheet = dialogByName(page, translate('transfer:title'));
      await expect(sheet).toBeVisible();
      await expect(page.getByRole('dialog')).toHaveCount(1);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.mouse.wheel(0, 400);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
      const desk = await openDesk(page, language, question);
      const movement = desk.locator('.movement');
      await expect(movement).toContainText(reference);
      await expect(movement.locator('.status')).toHaveText(DESK_TEXTS[language].done);
      await expect(movement.locator('.money')).toHaveText('-20 BAHT');
      await expect(movement).toContainText('WALLET → pg');
      await expect(movement.locator('.steps li')).toHaveCount(3);
      await desk.close();
    });
  }

  test("one click removes the reference; support is warned of a reference that is not the member's", async ({
    memberPage: page,
    member,
  }) => {
    const translate = translatorFor('th');
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openIn(page, 'th');
    // Neither this member's nor anyone's.
    const foreign = 'TNOTMINE23456';
    const failure = await openRefusedTransfer(page, translate, foreign);
    await buttonByName(failure, translate('errors:support.ask')).click();
    const chat = dialogByName(page, translate('chat:title'));
    await expect(chatInput(chat, translate)).toHaveValue(new RegExp(foreign));
    await expect(chatLog(chat)).toBeVisible();
    await buttonByName(chat, translate('chat:send')).click();
    await expect(chatInput(chat, translate)).toHaveValue('');
    const question = translate('money:questionOfKind', {
      kind: translate('money:kind.transfer'),
      reference: foreign,
    });
    const desk = await openDesk(page, 'th', question);
    await expect(desk.locator('.movement')).toHaveText(`${foreign} · ${DESK_TEXTS.th.notTheirs}`);
    await desk.close();
    await page.goto('/user/home');
    const second = await openRefusedTransfer(page, translate, 'TSECOND23456');
    await buttonByName(second, translate('errors:support.ask')).click();
    const note = chat.getByRole('status').filter({ hasText: 'TSECOND23456' });
    await expect(note).toBeVisible();
    // The reference is seen once: in the message, or in the note if the member has removed it there.
    const widthInNote = async () => (await note.getByText('TSECOND23456').boundingBox())?.width ?? 0;
    await expect(chatInput(chat, translate)).toHaveValue(/TSECOND23456/);
    expect(await widthInNote()).toBeLessThanOrEqual(1);
    await chatInput(chat, translate).fill('?');
    await expect.poll(widthInNote).toBeGreaterThan(50);
    await buttonByName(chat, translate('money:removeFromMessage')).click();
    await expect(note).toHaveCount(0);
    await expect(chatInput(chat, translate)).toBeFocused();
    const sent = page.waitForRequest('**/api/chat/send-message');
    await buttonByName(chat, translate('chat:send')).click();
    expect((await sent).postDataJSON()).not.toHaveProperty('reference');
  });
});

test('closing the chat by X or Back returns to the dialog that opened it; a chat on its own page stays there', async ({
  memberPage: page,
  member,
}) => {
  const translate = translatorFor('th');
  const reference = await makeTransfer(member);
  const chat = dialogByName(page, translate('chat:title'));
  const ask = async (sheet: Locator, name: string): Promise<void> => {
    await buttonByName(sheet, name).last().click();
    await expect(page).toHaveURL(/\/user\/contact$/);
    await expect(chatInput(chat, translate)).toHaveValue(/./);
  };
  // A toast in the chat has such a button too.
  const close = () => buttonByName(chat, translate('common:close')).first().click();
  await page.goto('/user/statement');
  await page.getByRole('main').getByRole('listitem').first().getByRole('button').click();
  const timeline = dialogByName(page, translate('money:kind.transfer'));
  await ask(timeline, translate('money:support'));
  await expect(chatInput(chat, translate)).toHaveValue(new RegExp(reference));
  await close();
  await expect(page).toHaveURL(/\/user\/statement$/);
  await expect(timeline).toContainText(reference);
  await ask(timeline, translate('money:support'));
  await page.goBack();
  await expect(page).toHaveURL(/\/user\/statement$/);
  await expect(timeline).toContainText(reference);

  await openHome(page);
  await page.route('**/api/autoLogin/**', (route) =>
    route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'LAUNCH_REFUSED' } }),
  );
  const game = dialogByName(page, 'PG SLOT');
  // Refused before and after money was moved.
  for (const [amount, action] of [
    ['', 'game:play'],
    ['30', 'game:transferAndPlay'],
  ] as const) {
    await openHome(page);
    await gameCard(page, 'PG SLOT').click();
    await game.getByLabel(translate('game:amount')).fill(amount);
    await buttonByName(game, translate(action)).click();
    await ask(game, translate('errors:support.ask'));
    await close();
    await expect(page).toHaveURL(/\/user\/home$/);
    await expect(game).toBeVisible();
  }

  await page.route('**/api/wallet/withdrawAll', (route) =>
    route.fulfill({ status: 400, json: { message: 'MONEY_NOT_ENOUGH', reference } }),
  );
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  const withdrawal = dialogByName(page, translate('withdraw:title'));
  await withdrawal.getByLabel(translate('withdraw:amount')).fill('100');
  await sendWithdrawal(withdrawal, translate);
  await ask(dialogByName(page, translate('withdraw:failureTitle')), translate('errors:support.ask'));
  await close();
  await expect(withdrawal).toBeVisible();

  await page.goto('/user/contact');
  await page.locator('button[aria-haspopup=dialog][aria-expanded=false]').click();
  await expect(chat).toBeVisible();
  await close();
  await expect(chat).toBeHidden();
  await expect(page).toHaveURL(/\/user\/contact$/);
});

for (const viewport of [
  { width: 320, height: 568 },
  { width: 844, height: 390 },
]) {
  test(`at ${viewport.width} × ${viewport.height} reference, text field and send button of the chat are visible`, async ({
    memberPage: page,
    member,
  }) => {
    const translate = translatorFor('la');
    await page.setViewportSize(viewport);
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openIn(page, 'la');
    const failure = await openRefusedTransfer(page, translate, 'T7K2M9QABCDEFGHJ');
    await expectFullyVisible(page, {
      ok: buttonByName(failure, translate('common:ok')),
      support: buttonByName(failure, translate('errors:support.ask')),
    });
    await buttonByName(failure, translate('errors:support.ask')).click();
    const chat = dialogByName(page, translate('chat:title'));
    await expect(chatLog(chat)).toBeVisible();
    await expectFullyVisible(page, {
      title: chat.getByRole('heading', { name: translate('chat:title') }),
      reference: chat.getByText('T7K2M9QABCDEFGHJ', { exact: true }),
      remove: buttonByName(chat, translate('money:removeFromMessage')),
      field: chatInput(chat, translate),
      send: buttonByName(chat, translate('chat:send')),
    });
    expect((await chatLog(chat).boundingBox())?.height).toBeGreaterThan(80);
  });
}

test.describe('pending items and launches that did not begin link to support', () => {
  const translate = translatorFor('th');

  /** Asks from the open dialog, and finds the question in the chat. */
  async function expectQuestion(page: Page, question: string): Promise<void> {
    await buttonByName(page.getByRole('dialog'), translate('errors:support.ask')).click();
    await expect(page).toHaveURL(/\/user\/contact$/);
    await expect(chatInput(dialogByName(page, translate('chat:title')), translate)).toHaveValue(question);
  }

  test('a withdrawal links to support when it is requested and while it is pending', async ({
    memberPage: page,
    member,
  }) => {
    const reference = 'TREF2345678ABCD';
    await fundWallet(member, 200);
    await openHome(page);
    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await sheet.getByLabel(translate('withdraw:amount')).fill('100');
    const withdrawal = { reference, amount: 100, state: 'HELD', createdAt: new Date().toISOString() };
    await page.route('**/api/wallet/withdrawAll', (route) =>
      route.fulfill({ json: { reference, amount: 100, status: 'PROCESSING', notBrought: [] } }),
    );
    const question = translate('money:questionOfKind', { kind: translate('money:kind.withdraw'), reference });
    await sendWithdrawal(sheet, translate);
    await expect(dialogByName(page, translate('withdraw:successTitle'))).toBeVisible();
    await expectQuestion(page, question);
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), withdrawal } });
    });
    await page.goto('/user/home#withdraw');
    await expect(dialogByName(page, translate('withdraw:underWay'))).toBeVisible();
    await expectQuestion(page, question);
  });

  test('a game that does not open links to support by its name, because no money was moved', async ({
    memberPage: page,
    member,
  }) => {
    await openGameAccount(member, 'pg');
    await openHome(page);
    await gameCard(page, GAMES.pg).click();
    const dialog = dialogByName(page, GAMES.pg);
    await page.route('**/api/autoLogin/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'LAUNCH_REFUSED' } }),
    );
    await buttonByName(dialog, translate('game:play')).click();
    const failure = dialog.getByRole('alert').filter({ hasText: translate('game:launchFailed') });
    await expect(failure).toContainText(translate('game:launchMoney'));
    await expectAccessible(page, 'a game that is not opened');
    await expectQuestion(page, translate('game:launchQuestion', { name: GAMES.pg }));
  });
});
