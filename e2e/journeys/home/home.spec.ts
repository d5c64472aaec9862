import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { fund, openGame, payerOf, transfer, walletOf } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { expectNothingSaid, joinedLine, openHome, passQuestion } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { Phone } from '../../support/phone.ts';
import { acceptAgreement, expect, MOVING, test } from '../../support/test.ts';
import { comes, comesByClock, moveIn } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const AGREEMENT = 'ข้อตกลงก่อนใช้งาน';

const total = (page: Page) => page.getByRole('region', { name: 'ยอดเงินทั้งหมด' });
const figure = (page: Page) => total(page).locator('.fit-amount');

test.use(MOVING);

test.describe('home', () => {
  test('shows the name, when the balance was checked, the total of wallet and games, and the referral bonus with its button [R-HOME-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 1_000);
    for (const [code, amount] of [
      ['pg', 250.5],
      ['askmebet', 100],
      ['goldendraw', 50.25],
    ] as const) {
      await openGame(member, code);
      await transfer(member, 'WALLET', code, amount);
    }
    await openHome(memberPage);
    await expect(memberPage.getByRole('heading', { level: 1 })).toHaveText(`สวัสดี ${member.name}`);
    await expect(figure(memberPage)).toHaveText('1,000.00');
    const places = total(memberPage).locator('dl > div');
    await expect(places).toHaveCount(2);
    await expect(places.nth(0)).toContainText('ในกระเป๋า');
    await expect(places.nth(0).getByRole('definition')).toHaveText('599.25');
    await expect(places.nth(1)).toContainText('ในเกม');
    await expect(places.nth(1).getByRole('definition')).toHaveText('400.75');
    const referral = memberPage.locator('dl', { hasText: 'โบนัสแนะนำเพื่อน' });
    await expect(referral).toContainText('0.00');
    await expect(referral.getByRole('button', { name: 'รับโบนัส' })).toBeDisabled();
    await expect(total(memberPage).locator('time')).toBeVisible();
    await expect(memberPage.getByRole('button', { name: 'เช็กยอดเงิน' })).toBeEnabled();
    const largerThanTotal = () =>
      memberPage.locator('#content *').evaluateAll((all) => {
        const size = (element: Element): number => parseFloat(getComputedStyle(element).fontSize);
        const textual = all.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3));
        const [total] = all.filter((element) => element.matches('.fit-amount'));
        return total ? textual.filter((element) => size(element) > size(total)).length : 'no total';
      });
    await expect.poll(largerThanTotal).toBe(0);
  });

  test('opening it and checking the balance refresh all games, record the time, then reload the wallet [R-HOME-02] [R-GAME-08]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 500);
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 200);
    // While the wheel is closed, a tile in its place asks all games too.
    await memberPage.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await openHome(memberPage);
    const asked: string[] = [];
    memberPage.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (['/api/wallet/refresh/slot', '/api/wallet'].includes(pathname)) asked.push(pathname);
    });
    await memberPage.evaluate(() => localStorage.removeItem('last_sync'));
    const began = Date.now();
    await memberPage.goto('/user/home');
    // The wallet may be asked for by others too, sooner and later: what matters is that it is, once the games were.
    const askedAfterGames = () =>
      asked.includes('/api/wallet/refresh/slot') ? asked.slice(asked.indexOf('/api/wallet/refresh/slot') + 1) : [];
    await expect.poll(askedAfterGames).toContain('/api/wallet');
    const stored = async () => Date.parse((await memberPage.evaluate(() => localStorage.getItem('last_sync'))) ?? '');
    // By the server's clock, from a reply that may have been delayed.
    await expect.poll(stored).toBeGreaterThanOrEqual(began - 60_000);
    const first = await stored();

    await play('pg', username, 50, 120);
    asked.length = 0;
    await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
    await expect(figure(memberPage)).toHaveText('570.00');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿270.00' })).toBeVisible();
    // The member's event may bring the new balance before the answer does.
    await expect.poll(() => asked).toContain('/api/wallet/refresh/slot');
    await expect.poll(stored).not.toBe(first);
    const second = await stored();
    const shown = new Date(second + 7 * 3_600_000).toISOString().slice(11, 19);
    await expect(total(memberPage).locator('time')).toContainText(shown);

    asked.length = 0;
    await memberPage.getByRole('button', { name: 'เช็กยอดทุกเกม' }).click();
    await expect.poll(askedAfterGames).toContain('/api/wallet');
  });
});

test.describe('the agreement on home', () => {
  test('the agreement comes again until it is accepted, and again when it has changed [R-HOME-05]', async ({
    memberPage,
  }) => {
    test.setTimeout(120_000);
    const agreement = memberPage.getByRole('dialog', { name: AGREEMENT });
    await memberPage.goto('/user/home');
    await comes(agreement);
    await expect(agreement).toContainText('เล่นอย่างรับผิดชอบ');
    await memberPage.keyboard.press('Escape');
    await expect(agreement).toBeHidden();
    expect(await memberPage.evaluate(() => localStorage.getItem('remember-agreement'))).toBeNull();

    await memberPage.reload();
    await comes(agreement);
    await agreement.getByRole('button', { name: 'รับทราบและยอมรับ' }).click();
    await expect(agreement).toBeHidden();
    await expect.poll(() => memberPage.evaluate(() => localStorage.getItem('remember-agreement'))).not.toBeNull();

    await passQuestion(memberPage);
    await expect(agreement).toBeHidden();
    await memberPage.clock.resume();

    await memberPage.route('**/api/lookup/agreements', (route) =>
      route.fulfill({ json: ['<p>ข้อใหม่<script>x</script></p>'] }),
    );
    await memberPage.route('**/api/lookup/info', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), agreementVersion: 'the-next' } });
    });
    await memberPage.reload();
    await comes(agreement);
    await expect(agreement).toContainText('ข้อใหม่');
    await expect(agreement.locator('script')).toHaveCount(0);
  });

  test('the agreement opens 1.5 s after its texts came [R-HOME-05]', async ({ memberPage }) => {
    const agreement = memberPage.getByRole('dialog', { name: AGREEMENT });
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 60_000);
    const texts = memberPage.waitForResponse('**/api/lookup/agreements');
    await memberPage.goto('/user/home');
    await texts;
    await expect(memberPage.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    await memberPage.clock.runFor(1_450);
    await expect(agreement).toBeHidden();
    await memberPage.clock.runFor(100);
    await comesByClock(memberPage, agreement);
  });

  test('the agreement’s texts are asked for beside its code, so that it can open on time [R-HOME-05]', async ({
    memberPage,
  }) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route(/\/assets\/agreement-gate/, async (route) => {
      await held;
      await route.continue();
    });
    const asked = memberPage.waitForRequest('**/api/lookup/agreements');
    await memberPage.goto('/user/home');
    await asked;
    release();
    await comes(memberPage.getByRole('dialog', { name: AGREEMENT }));
  });
});

test.describe('home when something fails or changes', () => {
  test('a wallet that can’t be loaded shows no message and keeps the last figures; the next check reloads it [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 321);
    await openHome(memberPage);
    await expect(figure(memberPage)).toHaveText('321.00');
    await memberPage.route('**/api/wallet{,/refresh/slot}', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    const refused = memberPage.waitForResponse(
      (answer) => new URL(answer.url()).pathname === '/api/wallet' && answer.status() === 500,
    );
    await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
    await refused;
    await expect(memberPage.getByRole('button', { name: 'เช็กยอดเงิน' })).not.toHaveAttribute('aria-busy');
    await expectNothingSaid(memberPage);
    await expect(figure(memberPage)).toHaveText('321.00');
    await memberPage.unrouteAll();
    await fund(member, 9);
    await expect(figure(memberPage)).toHaveText('330.00');
    expect((await walletOf(member)).wallet.amount).toBe(330);
  });

  test('agreements that can’t be loaded are not shown, without a message [R-NET-08]', async ({ memberPage }) => {
    await memberPage.route('**/api/lookup/agreements', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await passQuestion(memberPage);
    await memberPage.clock.resume();
    await expectNothingSaid(memberPage);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
  });

  test('money that moves elsewhere appears without a reload: a deposit by the phone’s bank app, a transfer in another tab [R-HOME-01]', async ({
    memberPage,
    member,
    context,
  }) => {
    // Three pages, and half a minute for the deposit alone.
    test.setTimeout(120_000);
    await openGame(member, 'pg');
    const joined = joinedLine(memberPage);
    await openHome(memberPage);
    await expect(figure(memberPage)).toHaveText('0.00');
    await joined;
    const { body } = await api<{ qrcode: string }>('POST', '/api/qrcode/KBANK', {
      token: member.token,
      body: { amount: 75 },
    });
    const phone = await Phone.open(context);
    await phone.openAccount('ไทยพาณิชย์', payerOf(member));
    await phone.scan(await sharp(Buffer.from(body.qrcode)).resize(600).png().toBuffer());
    // Said for four seconds only: looked for from before it comes.
    const announced = expect(memberPage.getByText('เงินเข้า ฿75.00')).toBeAttached({ timeout: 30_000 });
    await phone.pay();
    await memberPage.bringToFront();
    await announced;
    await expect(figure(memberPage)).toHaveText('75.00');
    await expect(total(memberPage).getByRole('status')).toHaveText('ยอดเงินทั้งหมด ฿75.00');

    const other = await context.newPage();
    await other.goto('/user/home');
    await moveIn(other, speaking('th'), '30', async () => undefined);
    await memberPage.bringToFront();
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿30.00' })).toBeVisible();
    const places = total(memberPage).getByRole('definition');
    await expect(places.nth(0)).toHaveText('45.00');
    await expect(places.nth(1)).toHaveText('30.00');
    await expect(figure(memberPage)).toHaveText('75.00');
  });
});

test.describe('skeletons and marks on home', () => {
  test('a wallet that was never loaded shows skeletons, and loads by itself [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 60);
    await memberPage.route('**/api/wallet', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    // After the games have replied the wallet reloads automatically, possibly just before the button is pressed.
    const { promise: isLoaded, resolve: letGamesAnswer } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/refresh/slot', async (route) => {
      await isLoaded;
      await route.continue();
    });
    const refused = memberPage.waitForResponse((answer) => new URL(answer.url()).pathname === '/api/wallet');
    await acceptAgreement(memberPage);
    await memberPage.goto('/user/home');
    await refused;
    await expectNothingSaid(memberPage);
    await expect(memberPage.getByText('ยังไม่มีเกมให้เล่นในตอนนี้')).toHaveCount(0);
    await expect(memberPage.getByText('ยังไม่ได้เช็กยอดกับค่ายเกม')).toBeVisible();
    await expect(memberPage.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    await memberPage.unroute('**/api/wallet');
    letGamesAnswer();
    await expect(figure(memberPage)).toHaveText('60.00');
    await expect(memberPage.getByRole('region', { name: 'สล็อต', exact: true })).toBeVisible();
  });

  test('marks of a card distinguish stale, in maintenance and in progress [R-HOME-04]', async ({
    memberPage,
    member,
  }) => {
    await openGame(member, 'pg');
    const marks = { isStale: false, inMaintenance: false, inProgress: null as string | null };
    await memberPage.route('**/api/wallet', async (route) => {
      const answer = await route.fetch();
      const wallet = (await answer.json()) as { slots: { code: string }[] };
      const slots = wallet.slots.map((slot) => (slot.code === 'pg' ? { ...slot, ...marks } : slot));
      await route.fulfill({ response: answer, json: { ...wallet, slots } });
    });
    await openHome(memberPage);
    const card = memberPage.getByRole('button', { name: /^PG SLOT / });
    const words = { stale: 'ยอดเดิม ค่ายเกมยังไม่ตอบ', closed: 'ปิดปรับปรุง', underWay: 'กำลังโยกเงิน' };
    for (const [change, shown] of [
      [{}, undefined],
      [{ isStale: true }, words.stale],
      [{ inMaintenance: true, isStale: true }, words.closed],
      [{ inMaintenance: true, isStale: true, inProgress: 'somewhere' }, words.underWay],
    ] as const) {
      Object.assign(marks, change);
      await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
      if (shown) await expect(card).toContainText(shown);
      for (const other of Object.values(words)) if (other !== shown) await expect(card).not.toContainText(other);
    }
    // A transfer’s event may come before its game account is free again: the mark disappears automatically.
    Object.assign(marks, { inMaintenance: false, isStale: false, inProgress: null });
    await expect(card).not.toContainText(words.underWay);
  });
});
