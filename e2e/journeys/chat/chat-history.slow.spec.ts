import { begin, bubble, joined, logOf, openWindow, untilStored, write } from '../../support/chat.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('the history of a conversation', () => {
  test('comes in pages of ten, older ones above without a jump, to its beginning; a button goes back to the end [R-CHAT-05]', async ({
    memberPage: page,
    member,
  }) => {
    const texts = Array.from({ length: 14 }, (_, at) => `ข้อความที่ ${at + 1}\n\n\n.`);
    await begin(member);
    for (const text of texts) await write(member, text);
    const asked: { limit: number; skip: number }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/chat/history')) asked.push(request.postDataJSON() as (typeof asked)[number]);
    });
    await page.setViewportSize({ width: 390, height: 640 });
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    await whenJoined;
    const log = logOf(chat);
    const toEnd = chat.getByRole('button', { name: say('chat:toEnd') });
    await expect(log.getByText('ข้อความที่ 14')).toBeInViewport();
    await expect(log.getByText('ข้อความที่ 4', { exact: false }).first()).toHaveCount(0);
    await expect(toEnd).toHaveCount(0);
    await log.evaluate((element) => element.scrollTo(0, -60));
    await expect.poll(() => log.evaluate((element) => element.scrollTop)).toBe(-60);
    await expect(toEnd).toHaveCount(0);
    await log.evaluate((element) => element.scrollTo(0, -61));
    await expect(toEnd).toBeVisible();
    expect(asked.every(({ skip, limit }) => skip === 0 && limit === 10)).toBe(true);

    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/chat/history', async (route) => {
      await held;
      await route.continue();
    });
    await log.evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(chat.getByText(say('chat:older'))).toBeVisible();
    const fifth = log.getByText(/^ข้อความที่ 5\s/);
    const before = await fifth.boundingBox();
    release();
    await expect(log.getByText(/^ข้อความที่ 1\s/)).toBeAttached();
    await expect(chat.getByText(say('chat:beginning'))).toBeAttached();
    expect((await fifth.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    expect(asked.at(-1)).toMatchObject({ skip: 10, limit: 10 });

    await toEnd.click();
    await expect(log.getByText(/^ข้อความที่ 14\s/)).toBeInViewport();
    await expect(toEnd).toHaveCount(0);
  });

  test('loads in pages of ten, the newest first, and is shown whole and in order however often one scrolls up [R-CHAT-05]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    const texts = Array.from({ length: 22 }, (_, at) => `ลำดับที่ ${at + 1}\n\n\n.`);
    // A customer may not write so much in a minute: the last ones are support's.
    for (const text of texts.slice(0, 12)) await write(member, text);
    for (const [at, text] of texts.entries()) {
      if (at < 12) continue;
      await answer(text);
      await untilStored(member, 3 + at + 1);
    }
    const pages: { skip: number; messages: Promise<{ sequence: number }[]> }[] = [];
    page.on('response', (response) => {
      if (!response.url().endsWith('/api/chat/history')) return;
      const { skip } = response.request().postDataJSON() as { skip: number };
      pages.push({ skip, messages: response.json() as Promise<{ sequence: number }[]> });
    });
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    const log = logOf(chat);
    await expect(log.getByText(/^ลำดับที่ 22\s/)).toBeInViewport();
    const shown = (): Promise<number> => log.locator('[data-key]').count();
    for (const count of [10, 20, 25]) {
      await expect.poll(shown).toBe(count);
      await log.evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    }
    await expect(chat.getByText(say('chat:beginning'))).toBeAttached();
    const sequences = new Map<number, number[]>();
    for (const { skip, messages } of pages)
      sequences.set(
        skip,
        (await messages).map(({ sequence }) => sequence),
      );
    const from = (newest: number, oldest: number): number[] =>
      Array.from({ length: newest - oldest + 1 }, (_, at) => newest - at);
    expect([...sequences].toSorted(([one], [other]) => one - other)).toEqual([
      [0, from(25, 16)],
      [10, from(15, 6)],
      [20, from(5, 1)],
    ]);
    const written = await log.getByText(/^ลำดับที่ \d+\s/).allInnerTexts();
    expect(written.map((text) => text.split('\n')[0])).toEqual(texts.map((text) => text.split('\n')[0]));
  });
});

test.describe('the history when calls fail', () => {
  test('older ones that don’t come are asked for again', async ({ memberPage: page, member }) => {
    await begin(member);
    for (let at = 1; at <= 12; at += 1) await write(member, `ข้อ ${at}\n\n\n.`);
    await page.route('**/api/chat/history', (route) =>
      (route.request().postDataJSON() as { skip: number }).skip > 0 ? route.abort() : route.continue(),
    );
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await logOf(chat).evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(chat.getByText(say('chat:olderFailed'))).toBeVisible();
    await page.unroute('**/api/chat/history');
    await button(chat, say('common:retry')).click();
    await expect(logOf(chat).getByText(/^ข้อ 1\s/)).toBeAttached();
  });

  test('older messages load, and missed newer ones too, while the socket is down', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    for (let at = 1; at <= 12; at += 1) await write(member, `ข้อ ${at}\n\n\n.`);
    await page.routeWebSocket(/\/socket\.io\//, (line) => line.close());
    await page.route('**/socket.io/**', (route) => route.abort());
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    for (let at = 1; at <= 12; at += 1) await answer(`ใหม่ ${at}`);
    await untilStored(member, 27);
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().endsWith('/api/chat/history'))));
    await logOf(chat).evaluate((element) => element.scrollTo(0, -element.scrollHeight));
    await expect(bubble(chat, 'ใหม่ 12')).toBeAttached();
    await expect(logOf(chat).getByText(/^ข้อ 1\s/)).toBeAttached();
    await expect(chat.getByText(say('chat:beginning'))).toBeAttached();
    expect(asked).toBeLessThan(10);
  });
});
