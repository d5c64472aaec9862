import { type Tutorial, tutorials } from '@krapao/contract/constants';
import { htmlLang, languages } from '@krapao/contract/languages';
import type { Locator, Page } from '@playwright/test';
import { expectOwnWords } from '../../support/foreign-words.ts';
import { expect, MOVING, test } from '../../support/test.ts';
import { settled } from '../../support/tour.ts';
import { button, dialog } from '../../support/walk.ts';
import { type Language, type Say, sentences, speaking } from '../../support/words.ts';

const say = speaking('th');
const LEAST_SECONDS = 10;

const stepsOf = (name: string, language: Language): string[] =>
  [...sentences(language)].filter(([key]) => key.startsWith(`howto:tutorial.${name}.steps.`)).map(([, words]) => words);

const cards = (page: Page): Locator => page.getByRole('main').getByRole('listitem').getByRole('button');

/** Opens the page in a language. */
async function openList(page: Page, language: Language): Promise<void> {
  await page.goto('/howto');
  await page.getByRole('banner').getByRole('combobox').selectOption(language);
  await expect(page.locator('html')).toHaveAttribute('lang', htmlLang[language]);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking(language)('howto:heading'));
}

/** Opens a tutorial. @returns its dialog */
async function openTutorial(page: Page, tell: Say, name: Tutorial): Promise<Locator> {
  const title = tell(`howto:tutorial.${name}.title`);
  await cards(page).nth(tutorials.indexOf(name)).click();
  const opened = dialog(page, title);
  await expect(opened).toBeVisible();
  return opened;
}

const timeOf = (video: Locator): Promise<number> => video.evaluate((element: HTMLVideoElement) => element.currentTime);

test.describe('tutorials', () => {
  test.use(MOVING);

  test(`five are listed and each plays, with captions and steps, in ${languages.join(', ')} [R-INFO-01]`, async ({
    page,
  }) => {
    test.setTimeout(180_000);
    for (const language of languages) {
      const tell = speaking(language);
      await openList(page, language);
      await expect(cards(page)).toHaveCount(tutorials.length);
      await expectOwnWords(page, language, [], 'the list');
      for (const name of tutorials) {
        const steps = stepsOf(name, language);
        const opened = await openTutorial(page, tell, name);
        const video = opened.locator('video');
        await expect(video).toHaveAttribute('src', `/howto/${name}.${language}.mp4`);
        await expect.poll(() => timeOf(video), name).toBeGreaterThan(0.3);
        const { duration, width } = await video.evaluate((element: HTMLVideoElement) => ({
          duration: element.duration,
          width: element.videoWidth,
        }));
        expect(duration).toBeGreaterThan(LEAST_SECONDS);
        expect(width).toBeGreaterThanOrEqual(390);
        await expect(opened.getByRole('listitem')).toHaveCount(steps.length);
        for (const [i, step] of steps.entries()) await expect(opened.getByRole('listitem').nth(i)).toContainText(step);
        await expect.poll(() => captionsOf(video), name).toEqual(steps);
        await expect(opened.locator('track')).toHaveAttribute('srclang', htmlLang[language]);
        await expectOwnWords(page, language, [], name);
        await button(opened, tell('common:close')).click();
        await expect(opened).toBeHidden();
      }
    }
  });

  const ways: Readonly<Record<string, (page: Page, opened: Locator) => Promise<unknown>>> = {
    'its cross': (_, opened) => button(opened, say('common:close')).click(),
    Escape: (page) => page.keyboard.press('Escape'),
    Back: (page) => page.goBack(),
    'dragging it down': async (page, opened) => {
      // The sheet slides up inside its dialog, and a hand would hold what is below its title.
      await settled(page);
      const grip = await opened.getByRole('heading', { level: 2 }).boundingBox();
      if (!grip) throw new Error('the sheet has no title to hold');
      await page.mouse.move(grip.x + 40, grip.y + 10);
      await page.mouse.down();
      await page.mouse.move(grip.x + 40, grip.y + 300, { steps: 5 });
      await page.mouse.up();
    },
    'a tap beside it': (page) => page.mouse.click(195, 12),
  };
  test(`a video closed by ${Object.keys(ways).join(', ')} stops, and starts again when it is reopened [R-INFO-01]`, async ({
    page,
  }) => {
    for (const [way, close] of Object.entries(ways)) {
      await openList(page, 'th');
      const opened = await openTutorial(page, say, 'wallet');
      const video = opened.locator('video');
      await expect.poll(() => timeOf(video)).toBeGreaterThan(0.3);
      await expect.poll(() => page.evaluate(() => history.state?.within)).toBe(true);
      const kept = await page.evaluateHandle(() => document.querySelector('video'));
      expect(await kept.evaluate((element) => element?.paused)).toBe(false);
      await close(page, opened);
      await expect(opened, way).toBeHidden();
      await expect(page).toHaveURL(/\/howto$/);
      await expect.poll(() => kept.evaluate((element) => [element?.paused, element?.currentTime])).toEqual([true, 0]);
      await openTutorial(page, say, 'wallet');
      await expect.poll(() => timeOf(video)).toBeGreaterThan(0);
    }
  });

  test('one that can’t be loaded says so, keeps its steps, and plays when tried again [R-INFO-01]', async ({
    page,
  }) => {
    await openList(page, 'th');
    await page.route('**/howto/*.mp4', (route) => route.abort());
    const opened = await openTutorial(page, say, 'receive');
    await expect(opened.getByRole('alert')).toContainText(say('howto:failed'));
    await expect(opened.getByRole('listitem')).toContainText(stepsOf('receive', 'th'));
    await page.unroute('**/howto/*.mp4');
    await button(opened, say('common:retry')).click();
    await expect.poll(() => timeOf(opened.locator('video'))).toBeGreaterThan(0.3);
  });
});

test('who wants no motion plays a tutorial themselves; nothing of it is fetched before [R-INFO-01]', async ({
  page,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  await openList(page, 'th');
  const opened = await openTutorial(page, say, 'balance');
  const video = opened.locator('video');
  await expect(video).toHaveAttribute('poster', '/howto/balance.th.jpg');
  expect(await video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(true);
  expect(fetched.filter((path) => path.endsWith('.mp4'))).toEqual([]);
  await video.evaluate((element: HTMLVideoElement) => element.play());
  await expect.poll(() => timeOf(video)).toBeGreaterThan(0.3);
  expect(fetched).toContain('/howto/balance.th.mp4');
});

test('a part of a video is answered as a part, so that one can seek in it', async ({ request }) => {
  const answer = await request.get('/howto/wallet.th.mp4', { headers: { range: 'bytes=100-299' } });
  expect(answer.status()).toBe(206);
  expect(answer.headers()).toMatchObject({ 'content-type': 'video/mp4', 'content-length': '200' });
  expect(answer.headers()['content-range']).toMatch(/^bytes 100-299\/\d+$/);
  expect(answer.headers()['content-encoding']).toBeUndefined();
});

/** What the captions say, as far as they are there; they are fetched when they are asked for first. */
const captionsOf = (video: Locator): Promise<string[]> =>
  video.evaluate((element: HTMLVideoElement) => {
    const track = element.textTracks[0];
    if (track?.mode === 'disabled') track.mode = 'hidden';
    return [...(track?.cues ?? [])].map((cue) => (cue as VTTCue).text);
  });
