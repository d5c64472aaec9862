import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { fundWallet } from './money.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';

/** Deposited baht per coin, as seeded. */
const BAHT_PER_COIN = 300;

export type WheelSlice = {
  code: string;
  label: string;
  bgColor: string;
  textColor: string;
  htmlDescription: string;
  weight: number;
  prizeKind: string;
};
export type WheelSetup = {
  result: {
    activeSpinwheel: { name: string; sliceList: WheelSlice[] };
    userCoin: number;
    fairness: { commitment: string; nextCommitment: string; clientSeed: string; nonce: number };
  };
};
export type SpinReply = {
  success: boolean;
  error: string | null;
  result: { spinId: string; code: string; label: string; remainingCoin: number; hasPrize: boolean };
};
export type Coupon = { _id: string; amount: number; prize: { kind: string; name: string; slice: { label: string } } };

/** Earns coins by a deposit. */
export const earnWheelCoins = (member: Member, coins: number): Promise<void> =>
  fundWallet(member, coins * BAHT_PER_COIN);

export const readWheelSetup = async (member: Member): Promise<WheelSetup['result']> =>
  (await api<WheelSetup>('GET', '/api/spinwheel/setup', { token: member.token })).body.result;

export const readCoupons = async (member: Member): Promise<Coupon[]> =>
  (await api<{ coupons: Coupon[] }>('GET', '/api/spinwheel/coupon', { token: member.token })).body.coupons;

/** Spins once by the API. */
export async function spinByApi(member: Member): Promise<SpinReply['result']> {
  const { body } = await api<SpinReply>('POST', '/api/spinwheel/spin', { token: member.token });
  if (!body.success) throw new Error(`no spin: ${JSON.stringify(body)}`);
  return body.result;
}

/** Spins by the API until the member has enough coupons. The member must have the coins. */
export async function winCouponsByApi(
  member: Member,
  count: number,
  isWanted: (coupon: Coupon) => boolean = () => true,
): Promise<Coupon[]> {
  for (;;) {
    const matchingCoupons = (await readCoupons(member)).filter(isWanted);
    if (matchingCoupons.length >= count) return matchingCoupons;
    await spinByApi(member);
  }
}

const CLI_PATH = new URL('../../server/src/cli/krapao.ts', import.meta.url).pathname;

/** Runs `krapao wheel` on the data of a separate system. */
export const runWheelCommand = (dataFolder: string, ...commandArgs: string[]) =>
  spawnSync(process.execPath, [CLI_PATH, 'wheel', ...commandArgs], {
    env: { ...process.env, DATA_DIR: dataFolder },
    encoding: 'utf8',
  });

/** As {@link runWheelCommand}. @returns what it printed; throws if it failed */
export function runWheelCommandChecked(dataFolder: string, ...commandArgs: string[]): string {
  const { status, stdout, stderr } = runWheelCommand(dataFolder, ...commandArgs);
  if (status !== 0) throw new Error(`${commandArgs.join(' ')}: ${stderr}`);
  return stdout;
}

type WheelFile = { slices: { code: string; prize: object }[] };

/**
 * From the next spin on, every slice of a separate system's wheel is this one.
 * @param prize replaces the slice's prize
 */
export function publishSingleSlice(dataFolder: string, sliceCode: string, prize?: object): void {
  const wheel = JSON.parse(runWheelCommandChecked(dataFolder, 'file', '1')) as WheelFile;
  const chosenSlices = wheel.slices.filter(({ code }) => code === sliceCode);
  const slices = ['-A', '-B', '-C'].flatMap((codeSuffix) =>
    chosenSlices.map((slice) => ({ ...slice, code: `${sliceCode}${codeSuffix}`, prize: prize ?? slice.prize })),
  );
  const file = join(dataFolder, 'wheel-of-test.json');
  writeFileSync(file, JSON.stringify({ ...wheel, slices }));
  runWheelCommandChecked(dataFolder, 'publish', file, 'tester', 'for the journey');
}

/** Publishes a wheel on which every spin wins money whose condition locks the wallet. */
export const publishLockingPrize = (dataFolder: string): void =>
  publishSingleSlice(dataFolder, 'MONEY-50', {
    kind: 'MONEY',
    amount: { BAHT: '50.00', LAK: '30000.00' },
    condition: { percentSuccess: 200, percentFail: 10 },
  });

/** Opens the wheel's page and waits until it has loaded. */
export async function openWheel(page: Page): Promise<void> {
  await page.goto('/user/spin');
  await expect(wheelCanvas(page)).toBeVisible();
  await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
}

export const wheelCanvas = (page: Page): Locator => page.locator('canvas');

/** The centre button; its name contains the number of coins. */
export const spinButton = (page: Page, translate: Translate): Locator =>
  page.getByRole('button', {
    name: new RegExp(
      `^(${translate('spinwheel:spin')}|${translate('spinwheel:spinning')}|${translate('spinwheel:skip')}) · `,
    ),
  });

export const spinButtonName = (translate: Translate, coins: number): string =>
  `${translate('spinwheel:spin')} · ${translate('spinwheel:coinCount_other', { count: coins })}`;

/** The slice under the pointer, by the painted angle of the wheel, and the fraction within the slice, from 0 to 1. */
export async function readSliceUnderPointer(
  page: Page,
  slices: readonly WheelSlice[],
): Promise<{ code: string; fraction: number }> {
  const wheelDegrees = await wheelCanvas(page).evaluate((canvas) => {
    const { a, b } = new DOMMatrix(getComputedStyle(canvas).transform);
    return (Math.atan2(b, a) * 180) / Math.PI;
  });
  const slicePosition = ((((-wheelDegrees % 360) + 360) % 360) / 360) * slices.length;
  return { code: slices[Math.floor(slicePosition)]?.code ?? '', fraction: slicePosition % 1 };
}

/** Recorded painting and animations of the page, from its start: see {@link recordWheelPaint}. */
export type RecordedWheelPaint = {
  labels: { text: string; widthMax: number | undefined; colour: string }[];
  colours: string[];
  moves: { duration: number; easing: string; degrees: number | undefined; isTransformOnly: boolean }[];
};

/** Records paint calls and animations of canvases. */
export const recordWheelPaint = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const recordedPaint: RecordedWheelPaint = { labels: [], colours: [], moves: [] };
    Object.assign(globalThis, { seen: recordedPaint });
    const interceptCalls = (
      target: object,
      name: string,
      recordCalls: (target: unknown, args: unknown[]) => void,
    ): void => {
      const originalMethod = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      Object.assign(target, {
        [name](this: unknown, ...args: unknown[]) {
          recordCalls(this, args);
          return Reflect.apply(originalMethod, this, args);
        },
      });
    };
    const contextPrototype = CanvasRenderingContext2D.prototype;
    interceptCalls(contextPrototype, 'fillText', (canvas, [text, , , widthMax]) => {
      const colour = (canvas as CanvasRenderingContext2D).fillStyle as string;
      recordedPaint.labels.push({ text: String(text), widthMax: widthMax as number | undefined, colour });
    });
    interceptCalls(contextPrototype, 'fill', (canvas) => {
      const { fillStyle } = canvas as CanvasRenderingContext2D;
      if (typeof fillStyle === 'string') recordedPaint.colours.push(fillStyle);
    });
    interceptCalls(HTMLCanvasElement.prototype, 'animate', (_, [frames, timing]) => {
      const { transform, ...rest } = frames as { transform?: [string, string] };
      const [from = 0, to = 0] = transform?.map((text) => Number(/-?[\d.]+/.exec(text)?.[0])) ?? [];
      const { duration, easing } = timing as { duration: number; easing: string };
      const isTransformOnly = transform !== undefined && Object.keys(rest).length === 0;
      recordedPaint.moves.push({ duration, easing, degrees: transform && to - from, isTransformOnly });
    });
  });

export const readRecordedWheelPaint = (page: Page): Promise<RecordedWheelPaint> =>
  page.evaluate(() => (globalThis as unknown as { seen: RecordedWheelPaint }).seen);

/** Presses the button and waits until the wheel stops. @returns the server's result */
export async function spinOnPage(page: Page, translate: Translate): Promise<SpinReply['result']> {
  const spinResponse = page.waitForResponse('**/api/spinwheel/spin');
  await spinButton(page, translate).click();
  const { result } = (await (await spinResponse).json()) as SpinReply;
  await expect(page.locator('section[aria-labelledby=wheel-name]').getByRole('status')).toHaveText(
    result.hasPrize ? translate('spinwheel:won', { label: result.label }) : translate('spinwheel:nothing'),
  );
  return result;
}

/** Closes a prize dialog and waits for the reloads after it. */
export async function closePrize(page: Page, translate: Translate): Promise<void> {
  const wheelReloads = ['setup', 'coupon'].map((endpointName) =>
    page.waitForResponse(`**/api/spinwheel/${endpointName}`),
  );
  await page
    .getByRole('dialog')
    .getByRole('button', { name: translate('spinwheel:prizeClose'), exact: true })
    .click();
  await Promise.all(wheelReloads);
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Speed ratio of a wheel between two frames at 60 Hz. */
const FRICTION_PER_FRAME = 0.991;

/**
 * Ratio of the initial speed to the mean speed of a wheel slowed down by friction, by frames.
 * @param durationMs duration of the spin
 */
export function startSlopeByFriction(durationMs: number): number {
  const pictures = Math.round((durationMs * 60) / 1_000);
  let [speed, travelled] = [1, 0];
  for (let frame = 0; frame < pictures; frame += 1, speed *= FRICTION_PER_FRAME) travelled += speed;
  return pictures / travelled;
}

/** Ratio of the initial speed to the mean speed of a CSS easing. */
export function startSlopeOfEasing(easing: string): number {
  const [, x, y] = /^cubic-bezier\(([\d.]+), ([\d.]+), [\d.]+, [\d.]+\)$/.exec(easing) ?? [];
  return Number(y) / Number(x);
}
