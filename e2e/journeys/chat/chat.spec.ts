import { faultsOf } from '../../support/accessible.ts';
import {
  begin,
  bubble,
  fieldOf,
  joined,
  logOf,
  openWindow,
  textsOf,
  untilStored,
  write,
  writeIn,
} from '../../support/chat.ts';
import { lapse } from '../../support/lapse.ts';
import { expect, MOVING, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const DESK = { width: 1280, height: 800 };

test.describe('the button of the chat', () => {
  test('is there when the operator has a chat, and not otherwise [R-CHAT-01]', async ({ memberPage: page }) => {
    await page.goto('/user/contact');
    await expect(page.getByRole('button', { name: say('chat:open') })).toBeVisible();
    await page.route('**/api/lookup/enableChatWidget', (route) => route.fulfill({ json: { enableChatWidget: false } }));
    const answered = page.waitForResponse('**/api/lookup/enableChatWidget');
    await page.reload();
    await (await answered).finished();
    await expect(page.getByRole('figure')).toBeVisible();
    await expect(page.getByRole('button', { name: say('chat:open') })).toHaveCount(0);
  });

  test('opens and closes the window, which Escape and Back close, too, and has the focus again; nothing but the button is loaded before [R-CHAT-01]', async ({
    memberPage: page,
  }) => {
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.goto('/user/contact');
    const opener = page.getByRole('button', { name: say('chat:open') });
    await expect(opener).toBeVisible();
    expect(loaded.filter((url) => /chat-panel|conversation/.test(url))).toEqual([]);
    const chat = dialog(page, say('chat:title'));
    for (const close of [
      () => button(chat, say('common:close')).click(),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]) {
      await opener.click();
      await expect(logOf(chat)).toBeVisible();
      await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
      await close();
      await expect(chat).toBeHidden();
      await expect(page).toHaveURL(/\/user\/contact$/);
      await expect(opener).toBeFocused();
    }
  });

  test('doesn’t cover the end of the page on either width', async ({ memberPage: page }) => {
    for (const size of [{ width: 320, height: 640 }, DESK]) {
      await page.setViewportSize(size);
      await page.goto('/user/contact');
      const opener = page.getByRole('button', { name: say('chat:open') });
      await expect(opener).toBeVisible();
      const version = page.getByText(say('contact:version', { version: '1.1.14' }));
      await expect(version).toBeVisible();
      await expect(page.getByRole('figure')).toBeVisible();
      // The end is farther down with each thing that comes.
      const room = async (): Promise<number> => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const [over, under] = await Promise.all([opener.boundingBox(), version.boundingBox()]);
        return (over?.y ?? 0) - ((under?.y ?? 0) + (under?.height ?? 0));
      };
      await expect.poll(room).toBeGreaterThanOrEqual(0);
    }
  });
});

test.describe('the button of the chat that moves', () => {
  test.use(MOVING);

  test('turns from a bubble into a cross and back, and stands beside the window on a computer [R-CHAT-01]', async ({
    memberPage: page,
  }) => {
    await page.setViewportSize(DESK);
    await page.goto('/user/contact');
    const icons = page.locator('button[aria-haspopup=dialog].fixed > span');
    const [bubbleIcon, cross] = [icons.first(), icons.nth(1)];
    await expect(bubbleIcon).toHaveCSS('opacity', '1');
    await expect(cross).toHaveCSS('opacity', '0');
    await expect(bubbleIcon).toHaveCSS('transition-property', /transform/);
    const chat = await openWindow(page, say);
    await expect(bubbleIcon).toHaveCSS('opacity', '0');
    await expect(cross).toHaveCSS('opacity', '1');
    await expect(fieldOf(chat, say)).toBeFocused();
    // The page beside it keeps working.
    await expect(page.locator('html')).not.toHaveCSS('overflow', 'hidden');
    await page.getByRole('button', { name: say('chat:close') }).click();
    await expect(chat).toBeHidden();
    await expect(bubbleIcon).toHaveCSS('opacity', '1');
  });
});

test.describe('a member in the chat', () => {
  test('is known by the profile id: in what is sent, in the history and when it is read [R-CHAT-01]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    await answer('มีอะไรให้ช่วยอีกไหมคะ');
    await untilStored(member, 4);
    const bodies: Record<string, unknown[]> = { 'send-message': [], history: [], 'read-customer/': [] };
    page.on('request', (request) => bodies[request.url().split('/api/chat/')[1] ?? '']?.push(request.postDataJSON()));
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await writeIn(chat, say, 'ไม่มีแล้วค่ะ');
    await expect.poll(() => Object.values(bodies).map((sent) => sent.length > 0)).toEqual([true, true, true]);
    for (const body of Object.values(bodies).flat()) expect(body).toMatchObject({ userId: member.id, guestId: '' });
    expect(await page.evaluate(() => localStorage.getItem('guest-id'))).toBeNull();
  });
});

test.describe('writing in the chat', () => {
  test('Enter sends; with Shift, Ctrl or Alt it breaks the line, and while a word is composed it does nothing [R-CHAT-03]', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    const field = fieldOf(chat, say);
    await field.click();
    const keys = ['Shift+Enter', 'Control+Enter', 'Alt+Enter'];
    for (const [at, key] of keys.entries()) {
      await page.keyboard.type(`${at}`);
      await page.keyboard.press(key);
    }
    await expect(field).toHaveValue('0\n1\n2\n');
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'กำ', selectionStart: 2, selectionEnd: 2 });
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    await expect(field).toHaveValue('0\n1\n2\nกำ');
    await session.send('Input.insertText', { text: 'กำ' });
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue('');
    await expect(logOf(chat).getByText(/0\s1\s2\sกำ/)).toBeVisible();
    await expect.poll(() => textsOf(member)).toEqual(['0\n1\n2\nกำ']);
  });

  test('blank is not sent, and no more than 2000 characters, which is said [R-CHAT-03]', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    const field = fieldOf(chat, say);
    await field.fill(' \n\u200B ');
    await field.press('Enter');
    await expect(button(chat, say('chat:send'))).toBeDisabled();
    await field.fill('ก'.repeat(2_005));
    await expect(chat.getByRole('alert')).toContainText(say('chat:tooLong', { max: '2,000' }));
    await expect(field).toHaveValue('ก'.repeat(2_000));
    await expect(chat.getByText(say('chat:counter', { number: '2,000', max: '2,000' }))).toBeVisible();
    await field.press('Enter');
    await expect(field).toHaveValue('');
    await expect.poll(() => textsOf(member)).toEqual(['ก'.repeat(2_000)]);
  });

  test('what was begun is still there when the window opens again', async ({ memberPage: page }) => {
    await page.goto('/user/contact');
    await fieldOf(await openWindow(page, say), say).fill('ค้างไว้ก่อน');
    await page.keyboard.press('Escape');
    await expect(fieldOf(await openWindow(page, say), say)).toHaveValue('ค้างไว้ก่อน');
  });

  test('one stored without a reply is shown once; one that never arrived can be sent again or removed', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    // After reconnecting, unacknowledged messages are sent again automatically.
    await whenJoined;
    const keys: (string | undefined)[] = [];
    await page.route('**/api/chat/send-message', async (route) => {
      keys.push((await route.request().allHeaders())['idempotency-key']);
      // It arrives, and the answer is lost.
      if (keys.length === 1) await route.fetch();
      await (keys.length <= texts.length ? route.abort() : route.continue());
    });
    const field = fieldOf(chat, say);
    const texts = ['ได้ยินไหม', 'ไม่ต้องส่งแล้ว', 'ส่งอีกที'] as const;
    for (const text of texts) {
      await field.fill(text);
      await field.press('Enter');
    }
    const row = (text: string) =>
      logOf(chat)
        .locator('[data-key]')
        .filter({ has: page.getByText(text, { exact: true }) });
    const remove = button(row('ไม่ต้องส่งแล้ว'), say('chat:remove'));
    await expect(remove).toBeVisible();
    // The first one came back by the line.
    await expect(row('ได้ยินไหม')).toHaveCount(1);
    await expect(button(row('ได้ยินไหม'), say('chat:remove'))).toHaveCount(0);
    await remove.click();
    await expect(bubble(chat, 'ไม่ต้องส่งแล้ว')).toHaveCount(0);
    expect(await textsOf(member)).toEqual(['ได้ยินไหม']);
    await button(row('ส่งอีกที'), say('chat:resend')).click();
    await expect(row('ส่งอีกที').getByText(say('chat:state.succeed'), { exact: true })).toBeAttached();
    await expect(row('ส่งอีกที')).toHaveCount(1);
    expect(await textsOf(member)).toEqual(['ได้ยินไหม', 'ส่งอีกที']);
    // The same message under the same key.
    expect(keys).toHaveLength(4);
    expect(keys[3]).toBe(keys[2]);
  });
});

test.describe('messages that are not sent', () => {
  test('an unsent message is still there after another page, and the browser asks before it is lost', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/contact');
    let chat = await openWindow(page, say);
    await page.route('**/api/chat/send-message', (route) =>
      route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } }),
    );
    await fieldOf(chat, say).fill('อย่าหายไปไหน');
    await fieldOf(chat, say).press('Enter');
    await expect(button(chat, say('chat:resend'))).toBeVisible();
    const asked = page.waitForEvent('dialog');
    const leaving = page.evaluate(() => location.reload());
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leaving;
    await button(chat, say('common:close')).click();
    await page.locator('a[href="/user/statement"]').first().click();
    await expect(page).toHaveURL(/statement/);
    await page.goBack();
    chat = await openWindow(page, say);
    await expect(bubble(chat, 'อย่าหายไปไหน')).toHaveCount(1);
    await page.unroute('**/api/chat/send-message');
    await button(chat, say('chat:resend')).click();
    await expect.poll(() => textsOf(member)).toEqual(['อย่าหายไปไหน']);
    await expect(button(chat, say('chat:resend'))).toHaveCount(0);
  });

  test('what is refused says why for four seconds, and goes when it is sent again [R-NET-07]', async ({
    memberPage: page,
    member,
  }) => {
    await page.clock.install();
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await page.route('**/api/chat/send-message', (route) =>
      route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } }),
    );
    await fieldOf(chat, say).fill('เร็วไปไหม');
    await page.clock.pauseAt(Date.now() + 60_000);
    await fieldOf(chat, say).press('Enter');
    const alert = chat.getByRole('alert').filter({ hasText: say('errors:errorMsg.REQUEST_LIMIT_1MIN') });
    await expect(alert).toBeVisible();
    await page.clock.runFor(3_900);
    await expect(alert).toBeVisible();
    await page.clock.runFor(200);
    await expect(alert).toBeHidden();
    await page.unroute('**/api/chat/send-message');
    await page.clock.resume();
    await button(chat, say('chat:resend')).click();
    await expect.poll(() => textsOf(member)).toEqual(['เร็วไปไหม']);
    await expect(button(chat, say('chat:resend'))).toHaveCount(0);
  });
});

test.describe('the conversation', () => {
  test('an answer appears by itself, keeps its place for who reads above, and is marked as read a second after the last one was seen [R-CHAT-05] [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    for (let at = 1; at <= 8; at += 1) await write(member, `คำถาม ${at}\n\n\n.`);
    await page.clock.install();
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    await whenJoined;
    const log = logOf(chat);
    await log.evaluate((element) => element.scrollTo(0, -200));
    const toEnd = chat.getByRole('button', { name: say('chat:toEnd') });
    await expect(toEnd).toBeVisible();
    const sixth = log.getByText(/^คำถาม 6\s/);
    const before = await sixth.boundingBox();
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/chat/read-customer/')) reads += 1;
    });
    await answer('คำตอบแรก');
    const toNew = chat.getByRole('button', { name: say('chat:toNew', { number: 1 }) });
    await expect(toNew).toBeVisible();
    await expect(chat.getByText(`${say('chat:support')}: คำตอบแรก`)).toBeAttached();
    expect((await sixth.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    // Not so far ahead that the line would be taken for dead.
    await page.clock.pauseAt(Date.now() + 10_000);
    expect(reads, 'it has not been seen').toBe(0);
    const asked = page.waitForRequest('**/api/chat/read-customer/');
    await toNew.click();
    await expect(bubble(chat, 'คำตอบแรก')).toBeInViewport();
    await expect(toNew).toHaveCount(0);
    await lapse(page, 900);
    expect(reads, 'not yet').toBe(0);
    // Another one restarts the second.
    await answer('คำตอบที่สอง');
    await expect(bubble(chat, 'คำตอบที่สอง')).toBeInViewport();
    await lapse(page, 900);
    expect(reads, 'not yet either').toBe(0);
    // The second begins when the app has seen it, which on a busy machine is later than the browser shows it.
    await expect(async () => {
      await lapse(page, 200);
      expect(reads).toBe(1);
    }).toPass();
    expect((await asked).method()).toBe('PUT');
    expect(reads).toBe(1);
  });

  test('what was not read is counted on the button', async ({ memberPage: page, member }) => {
    const answer = await begin(member);
    await answer('อยู่ค่ะ');
    // The page asks once.
    await untilStored(member, 4);
    await page.goto('/user/contact');
    const opener = page.getByRole('button', { name: say('chat:openUnread', { number: 1 }) });
    await expect(opener).toBeVisible();
    const read = page.waitForResponse('**/api/chat/read-customer/');
    await opener.click();
    expect((await read).status()).toBe(200);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: say('chat:open'), exact: true })).toBeVisible();
  });

  test('has no fault that a machine can find, on either width', async ({ memberPage: page, member }) => {
    await begin(member);
    for (const size of [{ width: 320, height: 640 }, { width: 390, height: 844 }, DESK]) {
      await page.setViewportSize(size);
      await page.goto('/user/contact');
      await page
        .getByRole('button', { name: /^เปิดแชต/ })
        .and(page.locator('[aria-haspopup]'))
        .click();
      const chat = dialog(page, say('chat:title'));
      await expect(bubble(chat, 'เจ้าหน้าที่มาแล้วค่ะ')).toBeVisible();
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  });
});
