import type { Locator } from '@playwright/test';
import { loadedPictures, seededGames, withSeededPictures } from '../../support/game-pictures.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { expect, MOVING, test } from '../../support/test.ts';

/** The 3D transform of a card: perspective, rotation about its vertical axis in degrees, depth. */
const stanceOf = (card: Locator) =>
  card.evaluate((element) => {
    const { transform } = getComputedStyle(element.closest('.carousel-card') ?? element);
    const { m11, m13, m34, m43 } = new DOMMatrix(transform);
    return { perspective: m34, turn: (Math.atan2(-m13, m11) * 180) / Math.PI, depth: m43 };
  });
const isInFront = ({ perspective, turn, depth }: Awaited<ReturnType<typeof stanceOf>>): boolean =>
  perspective < 0 && Math.abs(turn) < 1 && Math.abs(depth) < 1;

test.use(MOVING);

test.describe('the carousels of home', () => {
  test('three carousels turn three visible cards, 300 by 211, in perspective; balance and balance times the multiplier, or a prompt [R-HOME-04]', async ({
    memberPage,
    member,
  }) => {
    const shelves = [
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
    await fund(member, 100);
    for (const { code } of shelves) {
      await openGame(member, code);
      await transfer(member, 'WALLET', code, 12.34);
    }
    await withSeededPictures(memberPage);
    await openHome(memberPage);
    await expect(memberPage.locator('.carousel')).toHaveCount(shelves.length);
    for (const { shelf, count, name, credit, left, right } of shelves) {
      const carousel = memberPage.getByRole('region', { name: shelf, exact: true });
      await expect(carousel.getByRole('listitem')).toHaveCount(count);
      const front = carousel.getByRole('button', { name: `${name} ฿12.34` });
      await front.scrollIntoViewIfNeeded();
      for (const title of [left, name, right]) {
        const card = carousel.getByRole('button', { name: new RegExp(`^${title} `) });
        await expect(card).toBeInViewport();
        const opacity = () =>
          card.evaluate((element) => Number(getComputedStyle(element.parentElement ?? element).opacity));
        await expect.poll(opacity).toBeGreaterThan(0.3);
        const { background, logo } = seededGames.find(({ name: brand, names }) => (names?.th ?? brand) === title) ?? {};
        await expect.poll(() => loadedPictures(card)).toEqual([background, logo]);
      }
      // Those three are seen, and no other.
      const seen = carousel.locator('.carousel-card');
      const opacities = () => seen.evaluateAll((all) => all.map((card) => Number(getComputedStyle(card).opacity)));
      await expect.poll(async () => (await opacities()).filter((opacity) => opacity > 0.3).length).toBe(3);
      await expect.poll(async () => (await opacities()).filter((opacity) => opacity > 0).length).toBe(3);
      expect(await front.evaluate(({ offsetWidth, offsetHeight }: HTMLElement) => [offsetWidth, offsetHeight])).toEqual(
        [300, 211],
      );
      await expect.poll(async () => isInFront(await stanceOf(front))).toBe(true);
      const sides = await Promise.all(
        [left, right].map((title) => stanceOf(carousel.getByRole('button', { name: new RegExp(`^${title} `) }))),
      );
      for (const { perspective, turn, depth } of sides) {
        expect(perspective).toBeLessThan(0);
        expect(Math.abs(turn)).toBeGreaterThan(20);
        expect(depth).toBeLessThan(-100);
      }
      expect(sides.map(({ turn }) => Math.sign(turn))).toEqual([-1, 1]);
      await expect(front).toContainText('฿12.34');
      await expect(front).toContainText(`เครดิตในเกม ${credit}`);
    }
    const { slots } = await walletOf(member);
    for (const { code, credit } of shelves) {
      const slot = slots.find((one) => one.code === code);
      expect((12.34 * (slot?.ftWalletSlot ?? 0)).toFixed(2)).toBe(credit);
    }
    for (const name of ['ตลาดน้ำยามค่ำ', 'อัญมณีใต้ธาร', 'ลูกเต๋าเก้าลูก'])
      await expect(memberPage.getByRole('button', { name: `${name} แตะเพื่อเปิดบัญชี` })).toBeVisible();
    for (const name of ['เส้นประตู', 'หวยแม่โขง', 'หวยเดือนละสองงวด'])
      await expect(memberPage.getByRole('button', { name: `${name} ปิดปรับปรุง` })).toBeVisible();
  });

  test('a category without games keeps its carousel, which says so [R-HOME-04]', async ({ memberPage }) => {
    let kept: string[] = ['slot', 'sport'];
    await memberPage.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const wallet = (await response.json()) as { slots: { category: string }[] };
      const slots = wallet.slots.filter(({ category }) => kept.includes(category));
      await route.fulfill({ response, json: { ...wallet, slots } });
    });
    const shelf = (name: string) => memberPage.getByRole('region', { name, exact: true });
    await openHome(memberPage);
    await expect(shelf('หวย')).toContainText('ยังไม่มีเกมให้เล่นในตอนนี้');
    await expect(shelf('หวย').getByRole('button')).toHaveCount(0);
    await expect(shelf('สล็อต').getByRole('listitem')).toHaveCount(9);
    expect(await shelf('หวย').boundingBox()).toMatchObject({ width: 300, height: 211 });
    kept = [];
    await openHome(memberPage);
    for (const name of ['สล็อต', 'กีฬาและคาสิโน', 'หวย']) await expect(shelf(name)).toContainText('ยังไม่มีเกมให้เล่นในตอนนี้');
  });
});
