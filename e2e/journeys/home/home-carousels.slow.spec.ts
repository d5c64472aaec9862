import type { Locator } from '@playwright/test';
import { readLoadedImageUrls, seededGameImages, serveSeededGameImages } from '../../support/game-images.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

/** The 3D transform of a card: perspective, rotation about its vertical axis in degrees, depth. */
const readStance = (card: Locator) =>
  card.evaluate((element) => {
    const { transform } = getComputedStyle(element.closest('.carousel-card') ?? element);
    const { m11, m13, m34, m43 } = new DOMMatrix(transform);
    return { perspective: m34, turn: (Math.atan2(-m13, m11) * 180) / Math.PI, depth: m43 };
  });
const isInFront = ({ perspective, turn, depth }: Awaited<ReturnType<typeof readStance>>): boolean =>
  perspective < 0 && Math.abs(turn) < 1 && Math.abs(depth) < 1;

test.use(WITH_MOTION);

test('pictures of games load when they are near the viewport, not before', async ({ memberPage }) => {
  await serveSeededGameImages(memberPage);
  const requested = new Set<string>();
  memberPage.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/art\/(games|logos)\//.test(pathname)) requested.add(pathname);
  });
  await openHome(memberPage);
  const shelves = memberPage.locator('.carousel');
  const { background = '' } = seededGameImages.find(({ code }) => code === 'pg') ?? {};
  await expect.poll(() => requested.has(background)).toBe(true);
  await memberPage.waitForLoadState('networkidle');
  // Of 21 games, each with a background and a logo.
  expect(requested.size).toBeLessThanOrEqual(26);
  const lastCard = shelves.last().getByRole('button', { includeHidden: true }).last();
  expect(await readLoadedImageUrls(lastCard)).toEqual([]);
  await shelves.last().evaluate((ring) => ring.scrollIntoView({ block: 'center' }));
  await shelves.last().evaluate((ring) => ring.scrollTo({ left: ring.scrollWidth, behavior: 'instant' }));
  await expect.poll(async () => (await readLoadedImageUrls(lastCard)).length).toBe(2);
});

test.describe('the carousels of home', () => {
  test('the three carousels show three cards of 300 × 211 in perspective, with balance and multiplied balance, or a prompt [R-HOME-04]', async ({
    memberPage,
    member,
  }) => {
    const SHELF_NAMES = [
      {
        shelf: 'สล็อต',
        count: 9,
        code: 'pg',
        name: 'PG SLOT',
        credit: '12.34',
        left: 'ตลาดน้ำยามค่ำ',
        right: 'อัญมณีใต้ธาร',
      },
      {
        shelf: 'กีฬาและคาสิโน',
        count: 7,
        code: 'askmebet',
        name: 'ASKMEBET',
        credit: '123.40',
        left: 'เส้นประตู',
        right: 'ลูกเต๋าเก้าลูก',
      },
      {
        shelf: 'หวย',
        count: 5,
        code: 'goldendraw',
        name: 'หวยลูกทอง',
        credit: '246.80',
        left: 'หวยแม่โขง',
        right: 'หวยเดือนละสองงวด',
      },
    ];
    await fundWallet(member, 100);
    for (const { code } of SHELF_NAMES) {
      await openGameAccount(member, code);
      await transferMoney(member, 'WALLET', code, 12.34);
    }
    await serveSeededGameImages(memberPage);
    await openHome(memberPage);
    await expect(memberPage.locator('.carousel')).toHaveCount(SHELF_NAMES.length);
    for (const { shelf, count, name, credit, left, right } of SHELF_NAMES) {
      const carousel = memberPage.getByRole('region', { name: shelf, exact: true });
      await expect(carousel.getByRole('listitem')).toHaveCount(count);
      const frontCard = carousel.getByRole('button', { name: `${name} ฿12.34` });
      await frontCard.scrollIntoViewIfNeeded();
      for (const title of [left, name, right]) {
        const gameCard = carousel.getByRole('button', { name: new RegExp(`^${title} `) });
        await expect(gameCard).toBeInViewport();
        const readCardOpacity = () =>
          gameCard.evaluate((element) => Number(getComputedStyle(element.parentElement ?? element).opacity));
        await expect.poll(readCardOpacity).toBeGreaterThan(0.3);
        const { background, logo } =
          seededGameImages.find(({ name: brand, names }) => (names?.th ?? brand) === title) ?? {};
        await expect.poll(() => readLoadedImageUrls(gameCard)).toEqual([background, logo]);
      }
      // Only those three cards are visible.
      const carouselCards = carousel.locator('.carousel-card');
      const readOpacities = () =>
        carouselCards.evaluateAll((elements) => elements.map((card) => Number(getComputedStyle(card).opacity)));
      await expect.poll(async () => (await readOpacities()).filter((opacity) => opacity > 0.3).length).toBe(3);
      await expect.poll(async () => (await readOpacities()).filter((opacity) => opacity > 0).length).toBe(3);
      expect(
        await frontCard.evaluate(({ offsetWidth, offsetHeight }: HTMLElement) => [offsetWidth, offsetHeight]),
      ).toEqual([300, 211]);
      await expect.poll(async () => isInFront(await readStance(frontCard))).toBe(true);
      const sideCards = await Promise.all(
        [left, right].map((title) => readStance(carousel.getByRole('button', { name: new RegExp(`^${title} `) }))),
      );
      for (const { perspective, turn, depth } of sideCards) {
        expect(perspective).toBeLessThan(0);
        expect(Math.abs(turn)).toBeGreaterThan(20);
        expect(depth).toBeLessThan(-100);
      }
      expect(sideCards.map(({ turn }) => Math.sign(turn))).toEqual([-1, 1]);
      await expect(frontCard).toContainText('฿12.34');
      await expect(frontCard).toContainText(`เครดิตในเกม ${credit}`);
    }
    const { slots } = await readWallet(member);
    for (const { code, credit } of SHELF_NAMES) {
      const slot = slots.find((slot) => slot.code === code);
      expect((12.34 * (slot?.ftWalletSlot ?? 0)).toFixed(2)).toBe(credit);
    }
    for (const name of ['ตลาดน้ำยามค่ำ', 'อัญมณีใต้ธาร', 'ลูกเต๋าเก้าลูก'])
      await expect(memberPage.getByRole('button', { name: `${name} แตะเพื่อเข้าเล่น`, exact: true })).toBeVisible();
    for (const name of ['เส้นประตู', 'หวยแม่โขง', 'หวยเดือนละสองงวด'])
      await expect(memberPage.getByRole('button', { name: `${name} ปิดปรับปรุง` })).toBeVisible();
  });

  test('a category without games has an empty carousel that says so [R-HOME-04]', async ({ memberPage }) => {
    let storedShelves: string[] = ['slot', 'sport'];
    await memberPage.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const wallet = (await response.json()) as { slots: { category: string }[] };
      const slots = wallet.slots.filter(({ category }) => storedShelves.includes(category));
      await route.fulfill({ response, json: { ...wallet, slots } });
    });
    const shelfRegion = (name: string) => memberPage.getByRole('region', { name, exact: true });
    await openHome(memberPage);
    await expect(shelfRegion('หวย')).toContainText('ยังไม่มีเกมให้เล่นในตอนนี้');
    await expect(shelfRegion('หวย').getByRole('button')).toHaveCount(0);
    await expect(shelfRegion('สล็อต').getByRole('listitem')).toHaveCount(9);
    expect(await shelfRegion('หวย').boundingBox()).toMatchObject({ width: 300, height: 211 });
    storedShelves = [];
    await openHome(memberPage);
    for (const name of ['สล็อต', 'กีฬาและคาสิโน', 'หวย'])
      await expect(shelfRegion(name)).toContainText('ยังไม่มีเกมให้เล่นในตอนนี้');
  });
});

test('in landscape the arrows are beside the cards, and no shadow is cut off below them', async ({ memberPage }) => {
  await memberPage.setViewportSize({ width: 844, height: 390 });
  await openHome(memberPage);
  const carousel = memberPage.getByRole('region', { name: 'สล็อต', exact: true });
  await carousel.scrollIntoViewIfNeeded();
  const [ring, next, card] = await Promise.all([
    carousel.locator('.carousel').boundingBox(),
    carousel.getByRole('button', { name: translate('parts:carousel.next') }).boundingBox(),
    carousel.locator('[aria-current] .carousel-card').boundingBox(),
  ]);
  if (!ring || !next || !card) throw new Error('the carousel is not on the screen');
  const gapPx = next.x - (ring.x + ring.width);
  expect(gapPx).toBeGreaterThanOrEqual(0);
  expect(gapPx).toBeLessThan(24);
  // The shadow ends 24 px below the card.
  expect(ring.y + ring.height - (card.y + card.height)).toBeGreaterThanOrEqual(24);
});
