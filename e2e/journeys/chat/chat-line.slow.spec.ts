import type { Page, Request, WebSocketRoute } from '@playwright/test';
import { begin, bubble, joined, logOf, openWindow, untilStored, write, writeIn } from '../../support/chat.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const BACKEND = 'https://chat-backend.example';
/** Far more than a few. */
const TRIES = 12;

/** A ticket like those of the chat backend: it contains its purpose. */
const ticket = `e30.${Buffer.from(JSON.stringify({ room: 'room-there' })).toString('base64url')}.signature`;

/** How our own line asks for its room: that of the chat backend asks for a room of the same name, with a ticket. */
const OWN_JOIN = /"join",\{"room":"chat:[^"]*","token"/;

/** Has all lines go through the test. @returns our own ones of the chat, which have asked for its room, the latest last */
async function holdLines(page: Page): Promise<WebSocketRoute[]> {
  const lines: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/socket\.io\//, (line) => {
    const server = line.connectToServer();
    line.onMessage((frame) => {
      if (OWN_JOIN.test(String(frame))) lines.push(line);
      server.send(frame);
    });
  });
  return lines;
}

/** @returns how many times the history was asked for and how many answers have come */
function countHistory(page: Page): { asked: number; answered: number } {
  const count = { asked: 0, answered: 0 };
  const isHistory = (request: Request): boolean => request.url().endsWith('/api/chat/history');
  page.on('request', (request) => void (isHistory(request) && count.asked++));
  page.on('requestfinished', (request) => void (isHistory(request) && count.answered++));
  return count;
}

/** Has the server name a chat backend, or none. */
const nameBackend = (page: Page, backend: { url: string; ticket: string } | null): Promise<unknown> =>
  page.route('**/api/chat/config', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...((await answer.json()) as object), backend } });
  });

/** Makes a page count its failed connections to the chat backend, from its next load on. */
const countRefusedLines = (page: Page): Promise<unknown> =>
  page.addInitScript((host) => {
    const counted = { refusedLines: 0 };
    const Line = WebSocket;
    Object.assign(globalThis, {
      counted,
      WebSocket: class extends Line {
        constructor(url: string, protocols?: string[]) {
          super(url, protocols);
          if (url.includes(host)) this.addEventListener('error', () => (counted.refusedLines += 1));
        }
      },
    });
  }, new URL(BACKEND).host);
const refusedLines = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { counted: { refusedLines: number } }).counted.refusedLines);

test.describe('the line of the chat', () => {
  test('joins the room of the prefix and the member’s id with their token, and brings each message once [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => void sent.push(String(payload))));
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    await whenJoined;
    const join = sent.find((frame) => /"chat:.*"token"/.test(frame));
    expect(JSON.parse(join?.replace(/^\d+/, '') ?? '[]')).toEqual([
      'join',
      { room: `chat:${member.id}`, token: member.token },
    ]);
    await writeIn(chat, say, 'ขอสอบถามหน่อย');
    await answer('เชิญค่ะ');
    await expect(bubble(chat, 'เชิญค่ะ')).toBeVisible();
    await expect(bubble(chat, 'เชิญค่ะ')).toHaveCount(1);
    await expect(bubble(chat, 'ขอสอบถามหน่อย')).toHaveCount(1);
  });

  test('that is lost is looked for every five seconds, and then what was missed stands where it belongs [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    await write(member, 'ก่อนหลุด');
    await page.clock.install();
    const lines = await holdLines(page);
    const history = countHistory(page);
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await expect(bubble(chat, 'ก่อนหลุด')).toBeVisible();
    await answer('ได้ยิน');
    await expect(bubble(chat, 'ได้ยิน')).toBeVisible();
    // Asked for by the window and by its line once it has joined: an answer still on its way would bring what is missed.
    await expect.poll(() => history).toEqual({ asked: 2, answered: 2 });
    // Independent of when the clock was stopped: the retry runs at the end of the skipped time, then every five seconds.
    await page.clock.pauseAt(Date.now() + 10_000);
    await page.clock.fastForward(5_000);
    const before = lines.length;
    await lines.at(-1)?.close();
    // Answers take a way of their own: each is there before the next is written.
    await answer('พลาดไปหนึ่ง');
    await untilStored(member, 6);
    await write(member, 'จากอีกเครื่อง');
    await answer('พลาดไปสอง');
    await untilStored(member, 8);
    await page.clock.runFor(4_900);
    expect(lines, 'not yet').toHaveLength(before);
    await expect(bubble(chat, 'พลาดไปหนึ่ง')).toHaveCount(0);
    await page.clock.runFor(200);
    await expect.poll(() => lines.length).toBe(before + 1);
    await expect(bubble(chat, 'พลาดไปสอง')).toBeVisible();
    await lines.at(-1)?.close();
    await page.clock.runFor(4_800);
    expect(lines, 'not yet again').toHaveLength(before + 1);
    await page.clock.runFor(200);
    await expect.poll(() => lines.length).toBe(before + 2);
    await page.clock.resume();
    const order = ['ก่อนหลุด', 'ได้ยิน', 'พลาดไปหนึ่ง', 'จากอีกเครื่อง', 'พลาดไปสอง'];
    const rows = logOf(chat).locator('[data-key]');
    await expect(rows).toHaveCount(8);
    await expect(rows).toContainText(order);
  });

  test('back from a place without a network the missed answer is there, and what could not be sent goes by itself [R-CHAT-06]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const answer = await begin(member);
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    await whenJoined;
    await context.setOffline(true);
    await chat.getByLabel(say('chat:message'), { exact: true }).fill('ส่งตอนไม่มีเน็ต');
    await button(chat, say('chat:send')).click();
    await expect(button(chat, say('chat:resend'))).toBeVisible();
    await answer('ตอบตอนออฟไลน์');
    await context.setOffline(false);
    // A failed connection is retried after five seconds.
    await expect(bubble(chat, 'ตอบตอนออฟไลน์')).toBeVisible({ timeout: 20_000 });
    await expect(button(chat, say('chat:resend'))).toHaveCount(0);
    await expect(bubble(chat, 'ส่งตอนไม่มีเน็ต')).toHaveCount(1);
  });

  test('that is lost is reported quietly, until it is back', async ({ memberPage: page, member }) => {
    const answer = await begin(member);
    const lines: WebSocketRoute[] = [];
    let isDown = false;
    await page.routeWebSocket(/\/socket\.io\//, (line) => {
      lines.push(line);
      // An unanswered attempt is given up after ten seconds.
      if (!isDown) line.connectToServer();
    });
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await answer('อยู่ในสายแล้ว');
    await expect(bubble(chat, 'อยู่ในสายแล้ว')).toBeVisible();
    isDown = true;
    for (const line of lines) await line.close();
    await expect(chat.getByText(say('chat:reconnecting'))).toBeVisible();
    isDown = false;
    await expect(chat.getByText(say('chat:reconnecting'))).toBeHidden({ timeout: 30_000 });
  });

  test('a room that refuses every join is reported [R-CHAT-06]', async ({ memberPage: page }) => {
    await page.routeWebSocket(/\/socket\.io\//, (line) => {
      const server = line.connectToServer();
      line.onMessage((frame) => server.send(String(frame).replace('"chat:', '"chat:not-')));
    });
    await page.route(/\/socket\.io\/.*transport=polling/, (route) => route.abort());
    await page.goto('/user/contact');
    const chat = await openWindow(page, say);
    await expect(chat.getByText(say('chat:refused'))).toBeVisible();
  });
});

test.describe('the line of a chat backend', () => {
  test('is opened only when there is one: by websocket, every half second again however often it is refused, and tells who is writing, and that something was written, which our own history shows once [R-CHAT-06]', async ({
    memberPage: page,
    member,
  }) => {
    const answer = await begin(member);
    await write(member, 'มีใครอยู่ไหมคะ');
    const opened: string[] = [];
    page.on('websocket', (socket) => opened.push(new URL(socket.url()).host));
    const lines: WebSocketRoute[] = [];
    const joins: string[] = [];
    // Our own line says nothing of messages here.
    await page.routeWebSocket(/\/socket\.io\//, (line) => {
      const server = line.connectToServer();
      server.onMessage((frame) => !String(frame).includes('"messaging"') && line.send(frame));
    });
    let isRefusing = false;
    await page.routeWebSocket(/chat-backend\.example/, (line) => {
      lines.push(line);
      // Nothing listens there, and the page may not go there either.
      if (isRefusing) return void line.connectToServer();
      line.onMessage((raw) => {
        const frame = String(raw);
        if (frame === '40') line.send('40{"sid":"there"}');
        else if (frame.startsWith('42')) {
          joins.push(frame);
          line.send(`43${/^42(\d+)/.exec(frame)?.[1] ?? ''}[{"joined":true}]`);
        }
      });
      // No side pings here.
      line.send('0{"sid":"here","upgrades":[],"pingInterval":600000,"pingTimeout":20000,"maxPayload":1000000}');
    });
    await nameBackend(page, null);
    await page.goto('/user/contact');
    const whenJoined = joined(page);
    let chat = await openWindow(page, say);
    await expect(bubble(chat, 'มีใครอยู่ไหมคะ')).toBeVisible();
    await whenJoined;
    expect(new Set(opened)).toEqual(new Set([new URL(page.url()).host]));

    await nameBackend(page, { url: BACKEND, ticket });
    await countRefusedLines(page);
    // Before the line is made, which goes by the clock that it finds.
    await page.clock.install();
    await page.reload();
    chat = await openWindow(page, say);
    await expect.poll(() => joins.length).toBe(1);
    expect(joins[0]).toContain(JSON.stringify({ room: 'room-there', ticket }));
    expect(lines[0]?.url()).toContain('transport=websocket');
    lines.at(-1)?.send('42["typing",{"room":"room-there"}]');
    await expect(chat.getByText(say('chat:typing'))).toBeVisible();
    await answer('มีค่ะ');
    await untilStored(member, 5);
    const wrong = { _id: 'from-there', sequence: 3, sender: 'customer', createdAt: 'today' };
    for (const message of [
      { message_type: 'text', payload: { text: 'ไม่ได้พูด' } },
      { message_type: 'buttons', payload: {} },
      { message_type: 'generic', payload: { elements: [{ buttons: 1 }] } },
    ])
      lines.at(-1)?.send(`42["messaging",${JSON.stringify({ ...wrong, message })}]`);
    await expect(bubble(chat, 'มีค่ะ')).toBeVisible();
    await expect(chat.getByText(say('chat:typing'))).toBeHidden();
    await answer('ถามได้เลยค่ะ');
    await untilStored(member, 6);
    lines.at(-1)?.send('42["messaging"]');
    await expect(bubble(chat, 'ถามได้เลยค่ะ')).toBeVisible();
    await expect(bubble(chat, 'มีค่ะ')).toHaveCount(1);
    await expect(bubble(chat, 'ไม่ได้พูด')).toHaveCount(0);
    await page.clock.pauseAt(Date.now() + 10_000);
    isRefusing = true;
    await lines.at(-1)?.close();
    for (let tries = 1; tries <= TRIES; tries += 1) {
      await page.clock.runFor(450);
      expect(lines, 'not yet').toHaveLength(tries);
      await page.clock.runFor(50);
      await expect.poll(() => lines.length).toBe(tries + 1);
      // The half second begins when the page has noticed it.
      await expect.poll(() => refusedLines(page)).toBe(tries);
    }
    isRefusing = false;
    await page.clock.runFor(550);
    await expect.poll(() => joins.length).toBe(2);
    await expect(logOf(chat)).toBeVisible();
  });
});
