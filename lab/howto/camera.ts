import { SECONDS_PER_STEP, type Tutorial } from '@krapao/contract/constants';
import type { Locator, Page } from '@playwright/test';
import { expect } from '../../e2e/support/test.ts';
import type { Say } from '../../e2e/support/words.ts';
import type { Box, FrameParts, Mark } from './frame.ts';

/** A picture that stays for some seconds. */
export type Still = { png: Buffer; seconds: number };

type Studio = (parts: FrameParts) => Promise<Buffer>;
type CameraOptions = { name: Tutorial; steps: readonly string[]; say: Say; draw: Studio };

/** How a step with a tap is divided: the screen alone, where the finger comes down, and that it does. */
const TAP = [
  ['near', SECONDS_PER_STEP / 2],
  ['tap', SECONDS_PER_STEP / 6],
] as const;

/** Films a tutorial: a still of each step of its words, in their order. */
export class Camera {
  readonly #stills: Still[] = [];
  #poster: Buffer | undefined;
  readonly #options: CameraOptions;
  #done = 0;

  constructor(options: CameraOptions) {
    this.#options = options;
  }

  /** Films a step that is only looked at. @param at what is framed, if anything */
  async look(step: string, page: Page, at?: Locator): Promise<void> {
    const parts = await this.#shoot(step, page);
    const mark = at && ({ kind: 'look', box: await boxOf(at) } as const);
    await this.#add({ ...parts, mark }, SECONDS_PER_STEP);
  }

  /** Films a step that ends with a tap, and taps. */
  async tap(step: string, page: Page, at: Locator): Promise<void> {
    const parts = await this.#shoot(step, page);
    const box = await boxOf(at);
    const marked = TAP.map(([kind, seconds]) => [{ kind, box } satisfies Mark, seconds] as const);
    const left = marked.reduce((rest, [, seconds]) => rest - seconds, SECONDS_PER_STEP);
    await this.#add(parts, left);
    for (const [mark, seconds] of marked) await this.#add({ ...parts, mark }, seconds);
    await at.click();
  }

  /** Takes what is on the screen for the poster, with the tutorial's title. */
  async takePoster(page: Page): Promise<void> {
    const { name, say, draw } = this.#options;
    const words = say(`howto:tutorial.${name}.title`);
    this.#poster = await draw({ screen: await screenOf(page), above: say('common:title.howto'), words });
  }

  /** @returns what was filmed @throws when a step of the words was not, or no poster was taken */
  develop(): { stills: readonly Still[]; poster: Buffer } {
    const { steps, name } = this.#options;
    const missing = steps[this.#done];
    if (missing !== undefined) throw new Error(`${name} ended before ${missing}`);
    if (!this.#poster) throw new Error(`${name} has no poster`);
    return { stills: this.#stills, poster: this.#poster };
  }

  async #shoot(step: string, page: Page): Promise<FrameParts> {
    const { name, steps, say } = this.#options;
    if (steps[this.#done] !== step) throw new Error(`${name} is at ${steps[this.#done] ?? 'its end'}, not ${step}`);
    this.#done += 1;
    const words = say(`howto:tutorial.${name}.steps.${step}`);
    const screen = await screenOf(page);
    // What a sentence quotes is what one must find on the screen.
    for (const [, quoted = ''] of words.matchAll(/“(.+?)”/g))
      await expect(page.getByText(quoted, { exact: true }).filter({ visible: true }).first()).toBeInViewport();
    return { screen, above: `${this.#done} / ${steps.length}`, words };
  }

  async #add(parts: FrameParts, seconds: number): Promise<void> {
    this.#stills.push({ png: await this.#options.draw(parts), seconds });
  }
}

/** Scrolls something to the middle, clear of the menu and of a dialog's actions. */
export const toMiddle = (at: Locator): Promise<void> =>
  at.evaluate((element) => element.scrollIntoView({ block: 'center', inline: 'nearest' }));

async function boxOf(at: Locator): Promise<Box> {
  const box = await at.boundingBox();
  if (!box) throw new Error(`nothing to mark: ${String(at)}`);
  return box;
}

/** The screen once nothing is on its way to it any more. */
async function screenOf(page: Page): Promise<Buffer> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.evaluate(async () => {
    const seen = [...document.images].filter((image) => image.checkVisibility() && image.loading !== 'lazy');
    await Promise.all([document.fonts.ready, ...seen.map((image) => image.decode().catch(() => undefined))]);
  });
  return page.screenshot();
}
