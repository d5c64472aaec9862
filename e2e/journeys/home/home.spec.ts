import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { expectNoMessages, waitForEventSocketJoin, openHome, openHomeUntilAgreementIsDue } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount, memberAsPayer, transferMoney, readWallet } from '../../support/money.ts';
import { SmsPhone } from '../../support/phone.ts';
import { playRound } from '../../support/simulators.ts';
import { acceptAgreement, expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { expectAgreementVisible, expectAgreementByClock, transferToGame } from '../../support/user-actions.ts';

const AGREEMENT_TITLE = 'ข้อตกลงก่อนใช้งาน';

const totalRegion = (page: Page) => page.getByRole('region', { name: 'ยอดเงินทั้งหมด' });
const totalFigure = (page: Page) => totalRegion(page).locator('.fit-amount');

test.use(WITH_MOTION);

test.describe('home', () => {
  test('home shows the name, the time of the last check, the total of wallet and games, and the referral bonus with its button [R-HOME-01]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 1_000);
    for (const [code, amount] of [
      ['pg', 250.5],
      ['askmebet', 100],
      ['goldendraw', 50.25],
    ] as const) {
      await openGameAccount(member, code);
      await transferMoney(member, 'WALLET', code, amount);
    }
    await openHome(memberPage);
    await expect(memberPage.getByRole('heading', { level: 1 })).toHaveText(`สวัสดี ${member.name}`);
    await expect(totalFigure(memberPage)).toHaveText('1,000.00');
    const balanceRows = totalRegion(memberPage).locator('dl > div');
    await expect(balanceRows).toHaveCount(2);
    await expect(balanceRows.nth(0)).toContainText('ในกระเป๋า');
    await expect(balanceRows.nth(0).getByRole('definition')).toHaveText('599.25');
    await expect(balanceRows.nth(1)).toContainText('ในเกม');
    await expect(balanceRows.nth(1).getByRole('definition')).toHaveText('400.75');
    const referralRow = memberPage.locator('dl', { hasText: 'โบนัสแนะนำเพื่อน' });
    await expect(referralRow).toContainText('0.00');
    await expect(referralRow.getByRole('button', { name: 'รับโบนัส' })).toBeDisabled();
    await expect(totalRegion(memberPage).locator('time')).toBeVisible();
    await expect(memberPage.getByRole('button', { name: 'เช็กยอดเงิน' })).toBeEnabled();
    const readTextsLargerThanTotal = () =>
      memberPage.locator('#content *').evaluateAll((elements) => {
        const fontSizePx = (element: Element): number => parseFloat(getComputedStyle(element).fontSize);
        const textElements = elements.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3));
        const [total] = elements.filter((element) => element.matches('.fit-amount'));
        return total ? textElements.filter((element) => fontSizePx(element) > fontSizePx(total)).length : 'no total';
      });
    await expect.poll(readTextsLargerThanTotal).toBe(0);
  });

  test('opening home and checking the balance refresh all games, store the time, and then reload the wallet [R-HOME-02] [R-GAME-08]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 500);
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 200);
    // While the wheel is closed, a tile in its place asks all games too.
    await memberPage.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await openHome(memberPage);
    const agreementRequests: string[] = [];
    memberPage.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (['/api/wallet/refresh/slot', '/api/wallet'].includes(pathname)) agreementRequests.push(pathname);
    });
    await memberPage.evaluate(() => localStorage.removeItem('last_sync'));
    const startedMs = Date.now();
    await memberPage.goto('/user/home');
    // Other code may load the wallet too, earlier or later: the test needs one load after the games' reply.
    const isAskedAfterGames = () =>
      agreementRequests.includes('/api/wallet/refresh/slot')
        ? agreementRequests.slice(agreementRequests.indexOf('/api/wallet/refresh/slot') + 1)
        : [];
    await expect.poll(isAskedAfterGames).toContain('/api/wallet');
    const readLastSync = async () =>
      Date.parse((await memberPage.evaluate(() => localStorage.getItem('last_sync'))) ?? '');
    // By the server's clock, from a reply that may have been delayed.
    await expect.poll(readLastSync).toBeGreaterThanOrEqual(startedMs - 60_000);
    const first = await readLastSync();

    await playRound('pg', username, 50, 120);
    agreementRequests.length = 0;
    await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
    await expect(totalFigure(memberPage)).toHaveText('570.00');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿270.00' })).toBeVisible();
    // The member's event may bring the new balance before the answer does.
    await expect.poll(() => agreementRequests).toContain('/api/wallet/refresh/slot');
    await expect.poll(readLastSync).not.toBe(first);
    const second = await readLastSync();
    const expectedTime = new Date(second + 7 * 3_600_000).toISOString().slice(11, 19);
    await expect(totalRegion(memberPage).locator('time')).toContainText(expectedTime);

    agreementRequests.length = 0;
    await memberPage.getByRole('button', { name: 'เช็กยอดทุกเกม' }).click();
    await expect.poll(isAskedAfterGames).toContain('/api/wallet');
  });
});

test.describe('the agreement on home', () => {
  test('the agreement is shown until it is accepted, and again after it has changed [R-HOME-05]', async ({
    memberPage,
  }) => {
    test.setTimeout(120_000);
    const agreementDialog = memberPage.getByRole('dialog', { name: AGREEMENT_TITLE });
    await memberPage.goto('/user/home');
    await expectAgreementVisible(agreementDialog);
    await expect(agreementDialog).toContainText('เล่นอย่างรับผิดชอบ');
    await memberPage.keyboard.press('Escape');
    await expect(agreementDialog).toBeHidden();
    expect(await memberPage.evaluate(() => localStorage.getItem('remember-agreement'))).toBeNull();

    await memberPage.reload();
    await expectAgreementVisible(agreementDialog);
    await agreementDialog.getByRole('button', { name: 'รับทราบและยอมรับ' }).click();
    await expect(agreementDialog).toBeHidden();
    await expect.poll(() => memberPage.evaluate(() => localStorage.getItem('remember-agreement'))).not.toBeNull();

    await openHomeUntilAgreementIsDue(memberPage);
    await expect(agreementDialog).toBeHidden();
    await memberPage.clock.resume();

    await memberPage.route('**/api/lookup/agreements', (route) =>
      route.fulfill({ json: ['<p>ข้อใหม่<script>x</script></p>'] }),
    );
    await memberPage.route('**/api/lookup/info', async (route) => {
      const serverReply = await route.fetch();
      await route.fulfill({
        response: serverReply,
        json: { ...(await serverReply.json()), agreementVersion: 'the-next' },
      });
    });
    await memberPage.reload();
    await expectAgreementVisible(agreementDialog);
    await expect(agreementDialog).toContainText('ข้อใหม่');
    await expect(agreementDialog.locator('script')).toHaveCount(0);
  });

  test('the agreement opens 1.5 s after its texts have loaded [R-HOME-05]', async ({ memberPage }) => {
    const agreementDialog = memberPage.getByRole('dialog', { name: AGREEMENT_TITLE });
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 60_000);
    const texts = memberPage.waitForResponse('**/api/lookup/agreements');
    await memberPage.goto('/user/home');
    await texts;
    await expect(memberPage.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    await memberPage.clock.runFor(1_450);
    await expect(agreementDialog).toBeHidden();
    await memberPage.clock.runFor(100);
    await expectAgreementByClock(memberPage, agreementDialog);
  });

  test("the agreement's texts load in parallel with its code, so that it opens in time [R-HOME-05]", async ({
    memberPage,
  }) => {
    const { promise: agreementsReleased, resolve: releaseAgreements } = Promise.withResolvers<void>();
    await memberPage.route(/\/assets\/agreement-gate/, async (route) => {
      await agreementsReleased;
      await route.continue();
    });
    const agreementsRequest = memberPage.waitForRequest('**/api/lookup/agreements');
    await memberPage.goto('/user/home');
    await agreementsRequest;
    releaseAgreements();
    await expectAgreementVisible(memberPage.getByRole('dialog', { name: AGREEMENT_TITLE }));
  });
});

test.describe('home when something fails or changes', () => {
  test('a wallet that fails to load shows no error and keeps the last amounts; the next check reloads it [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 321);
    await openHome(memberPage);
    await expect(totalFigure(memberPage)).toHaveText('321.00');
    await memberPage.route('**/api/wallet{,/refresh/slot}', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    const refusedReply = memberPage.waitForResponse(
      (response) => new URL(response.url()).pathname === '/api/wallet' && response.status() === 500,
    );
    await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
    await refusedReply;
    await expect(memberPage.getByRole('button', { name: 'เช็กยอดเงิน' })).not.toHaveAttribute('aria-busy');
    await expectNoMessages(memberPage);
    await expect(totalFigure(memberPage)).toHaveText('321.00');
    await memberPage.unrouteAll();
    await fundWallet(member, 9);
    await expect(totalFigure(memberPage)).toHaveText('330.00');
    expect((await readWallet(member)).wallet.amount).toBe(330);
  });

  test('agreements that fail to load are not shown, and no error is [R-NET-08]', async ({ memberPage }) => {
    await memberPage.route('**/api/lookup/agreements', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await openHomeUntilAgreementIsDue(memberPage);
    await memberPage.clock.resume();
    await expectNoMessages(memberPage);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
  });

  test('money moved elsewhere appears without a reload: a deposit by the bank app, a transfer in another tab [R-HOME-01]', async ({
    memberPage,
    member,
    context,
  }) => {
    // Three pages, and half a minute for the deposit alone.
    test.setTimeout(120_000);
    await openGameAccount(member, 'pg');
    const socketJoined = waitForEventSocketJoin(memberPage);
    await openHome(memberPage);
    await expect(totalFigure(memberPage)).toHaveText('0.00');
    await socketJoined;
    const { body } = await api<{ qrcode: string }>('POST', '/api/qrcode/KBANK', {
      token: member.token,
      body: { amount: 75 },
    });
    const phone = await SmsPhone.open(context);
    await phone.openAccount('ไทยพาณิชย์', memberAsPayer(member));
    await phone.scanQr(await sharp(Buffer.from(body.qrcode)).resize(600).png().toBuffer());
    // The text is shown for only four seconds, so the wait starts before it appears.
    // The strip shows it instead, if it has listed the code by then.
    const announcement = memberPage.getByText(/เงินเข้า \+฿75\.00|\+฿75\.00 เข้ากระเป๋าแล้ว/);
    const depositAnnouncement = expect(announcement).toBeAttached({ timeout: 30_000 });
    await phone.payScannedQr();
    await memberPage.bringToFront();
    await depositAnnouncement;
    await expect(totalFigure(memberPage)).toHaveText('75.00');
    await expect(totalRegion(memberPage).getByRole('status')).toHaveText('ยอดเงินทั้งหมด ฿75.00');

    const otherPage = await context.newPage();
    await otherPage.goto('/user/home');
    await transferToGame(otherPage, translatorFor('th'), '30', async () => undefined);
    await memberPage.bringToFront();
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿30.00' })).toBeVisible();
    const balanceFigures = totalRegion(memberPage).getByRole('definition');
    await expect(balanceFigures.nth(0)).toHaveText('45.00');
    await expect(balanceFigures.nth(1)).toHaveText('30.00');
    await expect(totalFigure(memberPage)).toHaveText('75.00');
  });
});

test.describe('skeletons and marks on home', () => {
  test('a wallet that has never loaded shows skeletons, and then loads automatically [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 60);
    await memberPage.route('**/api/wallet', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    // After the games have replied the wallet reloads automatically, possibly just before the button is pressed.
    const { promise: isLoaded, resolve: releaseGames } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/refresh/slot', async (route) => {
      await isLoaded;
      await route.continue();
    });
    const refusedReply = memberPage.waitForResponse((response) => new URL(response.url()).pathname === '/api/wallet');
    await acceptAgreement(memberPage);
    await memberPage.goto('/user/home');
    await refusedReply;
    await expectNoMessages(memberPage);
    await expect(memberPage.getByText('ยังไม่มีเกมให้เล่นในตอนนี้')).toHaveCount(0);
    await expect(memberPage.getByText('ยังไม่ได้เช็กยอดกับค่ายเกม')).toBeVisible();
    await expect(memberPage.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    await memberPage.unroute('**/api/wallet');
    releaseGames();
    await expect(totalFigure(memberPage)).toHaveText('60.00');
    await expect(memberPage.getByRole('region', { name: 'สล็อต', exact: true })).toBeVisible();
  });

  test('badges of a game card distinguish stale, in maintenance and in progress [R-HOME-04]', async ({
    memberPage,
    member,
  }) => {
    await openGameAccount(member, 'pg');
    const slotMarks = { isStale: false, inMaintenance: false, inProgress: null as string | null };
    await memberPage.route('**/api/wallet', async (route) => {
      const serverReply = await route.fetch();
      const wallet = (await serverReply.json()) as { slots: { code: string }[] };
      const slots = wallet.slots.map((slot) => (slot.code === 'pg' ? { ...slot, ...slotMarks } : slot));
      await route.fulfill({ response: serverReply, json: { ...wallet, slots } });
    });
    await openHome(memberPage);
    const gameCard = memberPage.getByRole('button', { name: /^PG SLOT / });
    const markTexts = { stale: 'ยอดเดิม ค่ายเกมยังไม่ตอบ', closed: 'ปิดปรับปรุง', underWay: 'กำลังโยกเงิน' };
    for (const [slotChange, shownText] of [
      [{}, undefined],
      [{ isStale: true }, markTexts.stale],
      [{ inMaintenance: true, isStale: true }, markTexts.closed],
      [{ inMaintenance: true, isStale: true, inProgress: 'somewhere' }, markTexts.underWay],
    ] as const) {
      Object.assign(slotMarks, slotChange);
      await memberPage.getByRole('button', { name: 'เช็กยอดเงิน' }).click();
      if (shownText) await expect(gameCard).toContainText(shownText);
      for (const otherText of Object.values(markTexts))
        if (otherText !== shownText) await expect(gameCard).not.toContainText(otherText);
    }
    // A transfer’s event may arrive before its game account is free again: the mark disappears automatically.
    Object.assign(slotMarks, { inMaintenance: false, isStale: false, inProgress: null });
    await expect(gameCard).not.toContainText(markTexts.underWay);
  });
});
