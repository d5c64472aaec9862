import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { fund } from './money.ts';
import { expect } from './test.ts';
import type { Say } from './words.ts';

/** A coin comes with each whole multiple of this in a deposit, in baht, as the operator has set it at first. */
const BAHT_PER_COIN = 300;

export type Slice = {
  code: string;
  label: string;
  bgColor: string;
  textColor: string;
  htmlDescription: string;
  weight: number;
  prizeKind: string;
};
export type Setup = {
  result: {
    activeSpinwheel: { name: string; sliceList: Slice[] };
    userCoin: number;
    fairness: { commitment: string; nextCommitment: string; clientSeed: string; nonce: number };
  };
};
export type Spin = {
  success: boolean;
  error: string | null;
  result: { spinId: string; code: string; label: string; remainingCoin: number; hasPrize: boolean };
};
export type Coupon = { _id: string; amount: number; prize: { kind: string; name: string; slice: { label: string } } };

/** Gets coins by a deposit, as members do. */
export const earnCoins = (member: Member, coins: number): Promise<void> => fund(member, coins * BAHT_PER_COIN);

export const setupOf = async (member: Member): Promise<Setup['result']> =>
  (await api<Setup>('GET', '/api/spinwheel/setup', { token: member.token })).body.result;

export const couponsOf = async (member: Member): Promise<Coupon[]> =>
  (await api<{ coupons: Coupon[] }>('GET', '/api/spinwheel/coupon', { token: member.token })).body.coupons;

/** One spin without the page. */
export async function spin(member: Member): Promise<Spin['result']> {
  const { body } = await api<Spin>('POST', '/api/spinwheel/spin', { token: member.token });
  if (!body.success) throw new Error(`no spin: ${JSON.stringify(body)}`);
  return body.result;
}

/** Spins without the page until enough coupons wait. The member must have coins for it. */
export async function winCoupons(
  member: Member,
  count: number,
  isWanted: (coupon: Coupon) => boolean = () => true,
): Promise<Coupon[]> {
  for (;;) {
    const matching = (await couponsOf(member)).filter(isWanted);
    if (matching.length >= count) return matching;
    await spin(member);
  }
}

/** Opens the page of the wheel and waits for all of it. */
export async function openWheel(page: Page): Promise<void> {
  await page.goto('/user/spin');
  await expect(wheelCanvas(page)).toBeVisible();
  await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
}

export const wheelCanvas = (page: Page): Locator => page.locator('canvas');

/** The centre button; its name has the number of coins. */
export const spinButton = (page: Page, say: Say): Locator =>
  page.getByRole('button', { name: new RegExp(`^(${say('spinwheel:spin')}|${say('spinwheel:spinning')}) · `) });

export const buttonName = (say: Say, coins: number): string =>
  `${say('spinwheel:spin')} · ${say('spinwheel:coinCount_other', { count: coins })}`;

/** Painted angle of the wheel: the slice under the pointer, and the fraction within it, from 0 to 1. */
export async function underPointer(page: Page, slices: readonly Slice[]): Promise<{ code: string; inside: number }> {
  const degrees = await wheelCanvas(page).evaluate((canvas) => {
    const { a, b } = new DOMMatrix(getComputedStyle(canvas).transform);
    return (Math.atan2(b, a) * 180) / Math.PI;
  });
  const place = ((((-degrees % 360) + 360) % 360) / 360) * slices.length;
  return { code: slices[Math.floor(place)]?.code ?? '', inside: place % 1 };
}

/** What the page has painted and moved, from its first moment on: see {@link watchWheel}. */
export type Seen = {
  labels: { text: string; widthMax: number | undefined; colour: string }[];
  colours: string[];
  moves: { duration: number; easing: string; degrees: number | undefined; isTransformOnly: boolean }[];
};

/** Notes what is painted on canvases, and how they are moved. */
export const watchWheel = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const seen: Seen = { labels: [], colours: [], moves: [] };
    Object.assign(globalThis, { seen });
    const notice = (target: object, name: string, note: (self: unknown, args: unknown[]) => void): void => {
      const does = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      Object.assign(target, {
        [name](this: unknown, ...args: unknown[]) {
          note(this, args);
          return Reflect.apply(does, this, args);
        },
      });
    };
    const pen = CanvasRenderingContext2D.prototype;
    notice(pen, 'fillText', (self, [text, , , widthMax]) => {
      const colour = (self as CanvasRenderingContext2D).fillStyle as string;
      seen.labels.push({ text: String(text), widthMax: widthMax as number | undefined, colour });
    });
    notice(pen, 'fill', (self) => {
      const { fillStyle } = self as CanvasRenderingContext2D;
      if (typeof fillStyle === 'string') seen.colours.push(fillStyle);
    });
    notice(HTMLCanvasElement.prototype, 'animate', (_, [frames, timing]) => {
      const { transform, ...rest } = frames as { transform?: [string, string] };
      const [from = 0, to = 0] = transform?.map((text) => Number(/-?[\d.]+/.exec(text)?.[0])) ?? [];
      const { duration, easing } = timing as { duration: number; easing: string };
      const isTransformOnly = transform !== undefined && Object.keys(rest).length === 0;
      seen.moves.push({ duration, easing, degrees: transform && to - from, isTransformOnly });
    });
  });

export const seen = (page: Page): Promise<Seen> => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

/** Presses the button and waits until the wheel stops. @returns what the server drew */
export async function spinOnPage(page: Page, say: Say): Promise<Spin['result']> {
  const answer = page.waitForResponse('**/api/spinwheel/spin');
  await spinButton(page, say).click();
  const { result } = (await (await answer).json()) as Spin;
  await expect(page.locator('section[aria-labelledby=wheel-name]').getByRole('status')).toHaveText(
    result.hasPrize ? say('spinwheel:won', { label: result.label }) : say('spinwheel:nothing'),
  );
  return result;
}

/** Closes the modal of a prize and waits for what is loaded again. */
export async function closePrize(page: Page, say: Say): Promise<void> {
  const reloads = ['setup', 'coupon'].map((what) => page.waitForResponse(`**/api/spinwheel/${what}`));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('spinwheel:prizeClose'), exact: true })
    .click();
  await Promise.all(reloads);
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** What a wheel keeps of its speed from one 60th of a second to the next. */
const FRICTION = 0.991;

/**
 * How much faster than its mean a wheel begins that friction slows, picture by picture.
 * @param durationMs how long it spins
 */
export function slopeByFriction(durationMs: number): number {
  const pictures = Math.round((durationMs * 60) / 1_000);
  let [speed, way] = [1, 0];
  for (let picture = 0; picture < pictures; picture += 1, speed *= FRICTION) way += speed;
  return pictures / way;
}

/** The slope that an easing of CSS begins with: how much faster than its mean a movement begins. */
export function slopeOf(easing: string): number {
  const [, x, y] = /^cubic-bezier\(([\d.]+), ([\d.]+), [\d.]+, [\d.]+\)$/.exec(easing) ?? [];
  return Number(y) / Number(x);
}
