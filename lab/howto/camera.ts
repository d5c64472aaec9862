import { SECONDS_PER_STEP, type Tutorial } from '@krapao/contract/constants';
import type { Locator, Page } from '@playwright/test';
import { expect } from '../../e2e/support/test.ts';
import type { Translate } from '../../e2e/support/translate.ts';
import type { Box, FrameParts, Mark } from './frame.ts';

/** An image shown for some seconds. */
export type Still = { png: Buffer; seconds: number };

type DrawFrame = (parts: FrameParts) => Promise<Buffer>;
type CameraOptions = { name: Tutorial; steps: readonly string[]; say: Translate; draw: DrawFrame };

/** Phases of a step with a tap after the plain screen: position of the finger, then the tap. */
const TAP_PHASES = [
  ['near', SECONDS_PER_STEP / 2],
  ['tap', SECONDS_PER_STEP / 6],
] as const;

/** Records a tutorial: stills of each step, in the order of its texts. */
export class Camera {
  readonly #stills: Still[] = [];
  #poster: Buffer | undefined;
  readonly #options: CameraOptions;
  #done = 0;

  constructor(options: CameraOptions) {
    this.#options = options;
  }

  /** Records a step without a tap. @param target element to frame, if any */
  async look(step: string, page: Page, target?: Locator): Promise<void> {
    const parts = await this.#capture(step, page);
    const frameMark = target && ({ kind: 'look', box: await boxOf(target) } as const);
    await this.#add({ ...parts, mark: frameMark }, SECONDS_PER_STEP);
  }

  /** Records a step that ends with a tap, then taps. */
  async tap(step: string, page: Page, target: Locator): Promise<void> {
    const parts = await this.#capture(step, page);
    const box = await boxOf(target);
    const phases = TAP_PHASES.map(([kind, seconds]) => [{ kind, box } satisfies Mark, seconds] as const);
    const remaining = phases.reduce((rest, [, seconds]) => rest - seconds, SECONDS_PER_STEP);
    await this.#add(parts, remaining);
    for (const [mark, seconds] of phases) await this.#add({ ...parts, mark }, seconds);
    await target.click();
  }

  /** Records the screen as poster with the tutorial's title. */
  async takePoster(page: Page): Promise<void> {
    const { name, say, draw } = this.#options;
    const text = say(`howto:tutorial.${name}.title`);
    this.#poster = await draw({ screen: await screenOf(page), above: say('common:title.howto'), text });
  }

  /** Returns the recording. @throws {Error} a step or the poster is missing */
  finish(): { stills: readonly Still[]; poster: Buffer } {
    const { steps, name } = this.#options;
    const missingStep = steps[this.#done];
    if (missingStep !== undefined) throw new Error(`${name} ended before ${missingStep}`);
    if (!this.#poster) throw new Error(`${name} has no poster`);
    return { stills: this.#stills, poster: this.#poster };
  }

  async #capture(step: string, page: Page): Promise<FrameParts> {
    const { name, steps, say } = this.#options;
    if (steps[this.#done] !== step) throw new Error(`${name} is at ${steps[this.#done] ?? 'its end'}, not ${step}`);
    this.#done += 1;
    const text = say(`howto:tutorial.${name}.steps.${step}`);
    const screenshot = await screenOf(page);
    // Quoted texts must be on the screen.
    for (const [, quoted = ''] of text.matchAll(/“(.+?)”/g))
      await expect(page.getByText(quoted, { exact: true }).filter({ visible: true }).first()).toBeInViewport();
    return { screen: screenshot, above: `${this.#done} / ${steps.length}`, text };
  }

  async #add(parts: FrameParts, seconds: number): Promise<void> {
    this.#stills.push({ png: await this.#options.draw(parts), seconds });
  }
}

/** Scrolls an element to the middle, clear of the menu and a dialog's actions. */
export const toMiddle = (target: Locator): Promise<void> =>
  target.evaluate((element) => element.scrollIntoView({ block: 'center', inline: 'nearest' }));

async function boxOf(target: Locator): Promise<Box> {
  const box = await target.boundingBox();
  if (!box) throw new Error(`not visible: ${String(target)}`);
  return box;
}

/** Screenshot after all loading has ended. */
async function screenOf(page: Page): Promise<Buffer> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.evaluate(async () => {
    const visibleImages = [...document.images].filter((image) => image.checkVisibility() && image.loading !== 'lazy');
    await Promise.all([document.fonts.ready, ...visibleImages.map((image) => image.decode().catch(() => undefined))]);
  });
  return page.screenshot();
}
