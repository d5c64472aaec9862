import { type Tutorial, tutorials } from '@krapao/contract/constants';
import { htmlLang, languages } from '@krapao/contract/languages';
import type { Locator, Page } from '@playwright/test';
import { expectOnlyLanguage } from '../../support/foreign-text.ts';
import { expect, WITH_MOTION, test } from '../../support/test.ts';
import { type Language, type Translate, readPhrases, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { waitForPageSettled } from '../../support/visit-pages.ts';

const translate = translatorFor('th');
const MIN_SECONDS = 10;

const readStepTexts = (name: string, language: Language): string[] =>
  [...readPhrases(language)]
    .filter(([key]) => key.startsWith(`howto:tutorial.${name}.steps.`))
    .map(([, stepTexts]) => stepTexts);

const tutorialCards = (page: Page): Locator => page.getByRole('main').getByRole('listitem').getByRole('button');

/** Opens the page in a language. */
async function openList(page: Page, language: Language): Promise<void> {
  await page.goto('/howto');
  await page.getByRole('banner').getByRole('combobox').selectOption(language);
  await expect(page.locator('html')).toHaveAttribute('lang', htmlLang[language]);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor(language)('howto:heading'));
}

/** Opens a tutorial. @returns its dialog */
async function openTutorial(page: Page, translateTo: Translate, name: Tutorial): Promise<Locator> {
  const title = translateTo(`howto:tutorial.${name}.title`);
  await tutorialCards(page).nth(tutorials.indexOf(name)).click();
  const tutorialDialog = dialogByName(page, title);
  await expect(tutorialDialog).toBeVisible();
  return tutorialDialog;
}

const readVideoTime = (video: Locator): Promise<number> =>
  video.evaluate((element: HTMLVideoElement) => element.currentTime);

test.describe('tutorials', () => {
  test.use(WITH_MOTION);

  test(`five tutorials are listed and play with captions and steps, in ${languages.join(', ')} [R-INFO-01]`, async ({
    page,
  }) => {
    test.setTimeout(180_000);
    for (const language of languages) {
      const translateTo = translatorFor(language);
      await openList(page, language);
      await expect(tutorialCards(page)).toHaveCount(tutorials.length);
      await expectOnlyLanguage(page, language, [], 'the list');
      for (const name of tutorials) {
        const stepTexts = readStepTexts(name, language);
        const tutorialDialog = await openTutorial(page, translateTo, name);
        const video = tutorialDialog.locator('video');
        await expect(video).toHaveAttribute('src', `/howto/${name}.${language}.mp4`);
        await expect.poll(() => readVideoTime(video), name).toBeGreaterThan(0.3);
        const { duration, width } = await video.evaluate((element: HTMLVideoElement) => ({
          duration: element.duration,
          width: element.videoWidth,
        }));
        expect(duration).toBeGreaterThan(MIN_SECONDS);
        expect(width).toBeGreaterThanOrEqual(390);
        await expect(tutorialDialog.getByRole('listitem')).toHaveCount(stepTexts.length);
        for (const [i, stepText] of stepTexts.entries())
          await expect(tutorialDialog.getByRole('listitem').nth(i)).toContainText(stepText);
        await expect.poll(() => readCaptions(video), name).toEqual(stepTexts);
        await expect(tutorialDialog.locator('track')).toHaveAttribute('srclang', htmlLang[language]);
        await expectOnlyLanguage(page, language, [], name);
        await buttonByName(tutorialDialog, translateTo('common:close')).click();
        await expect(tutorialDialog).toBeHidden();
      }
    }
  });

  const CLOSING_WAYS: Readonly<Record<string, (page: Page, tutorialDialog: Locator) => Promise<unknown>>> = {
    'its cross': (_, tutorialDialog) => buttonByName(tutorialDialog, translate('common:close')).click(),
    Escape: (page) => page.keyboard.press('Escape'),
    Back: (page) => page.goBack(),
    'dragging it down': async (page, tutorialDialog) => {
      // Wait for the sheet's animation: before its end, the pointer would grab an element below the title.
      await waitForPageSettled(page);
      const headingBox = await tutorialDialog.getByRole('heading', { level: 2 }).boundingBox();
      if (!headingBox) throw new Error('the sheet has no title to hold');
      await page.mouse.move(headingBox.x + 40, headingBox.y + 10);
      await page.mouse.down();
      await page.mouse.move(headingBox.x + 40, headingBox.y + 300, { steps: 5 });
      await page.mouse.up();
    },
    'a tap beside it': (page) => page.mouse.click(195, 12),
  };
  test(`a video closed by ${Object.keys(CLOSING_WAYS).join(', ')} stops, and restarts when it is reopened [R-INFO-01]`, async ({
    page,
  }) => {
    for (const [closingWay, closeTutorial] of Object.entries(CLOSING_WAYS)) {
      await openList(page, 'th');
      const tutorialDialog = await openTutorial(page, translate, 'wallet');
      const video = tutorialDialog.locator('video');
      await expect.poll(() => readVideoTime(video)).toBeGreaterThan(0.3);
      await expect.poll(() => page.evaluate(() => history.state?.within)).toBe(true);
      const videoHandle = await page.evaluateHandle(() => document.querySelector('video'));
      expect(await videoHandle.evaluate((element) => element?.paused)).toBe(false);
      await closeTutorial(page, tutorialDialog);
      await expect(tutorialDialog, closingWay).toBeHidden();
      await expect(page).toHaveURL(/\/howto$/);
      await expect
        .poll(() => videoHandle.evaluate((element) => [element?.paused, element?.currentTime]))
        .toEqual([true, 0]);
      await openTutorial(page, translate, 'wallet');
      await expect.poll(() => readVideoTime(video)).toBeGreaterThan(0);
    }
  });

  test('a tutorial that fails to load says so, keeps its steps, and plays when it is retried [R-INFO-01]', async ({
    page,
  }) => {
    await openList(page, 'th');
    await page.route('**/howto/*.mp4', (route) => route.abort());
    const tutorialDialog = await openTutorial(page, translate, 'receive');
    await expect(tutorialDialog.getByRole('alert')).toContainText(translate('howto:failed'));
    await expect(tutorialDialog.getByRole('listitem')).toContainText(readStepTexts('receive', 'th'));
    await page.unroute('**/howto/*.mp4');
    await buttonByName(tutorialDialog, translate('common:retry')).click();
    await expect.poll(() => readVideoTime(tutorialDialog.locator('video'))).toBeGreaterThan(0.3);
  });
});

test('with reduced motion a tutorial plays only by a click, and is not downloaded before [R-INFO-01]', async ({
  page,
}) => {
  const fetchedPaths: string[] = [];
  page.on('request', (request) => fetchedPaths.push(new URL(request.url()).pathname));
  await openList(page, 'th');
  const tutorialDialog = await openTutorial(page, translate, 'balance');
  const video = tutorialDialog.locator('video');
  await expect(video).toHaveAttribute('poster', '/howto/balance.th.jpg');
  expect(await video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(true);
  expect(fetchedPaths.filter((path) => path.endsWith('.mp4'))).toEqual([]);
  await video.evaluate((element: HTMLVideoElement) => element.play());
  await expect.poll(() => readVideoTime(video)).toBeGreaterThan(0.3);
  expect(fetchedPaths).toContain('/howto/balance.th.mp4');
});

test('the server replies to a range request for a video with that range, so that seeking works', async ({
  request,
}) => {
  const rangeReply = await request.get('/howto/wallet.th.mp4', { headers: { range: 'bytes=100-299' } });
  expect(rangeReply.status()).toBe(206);
  expect(rangeReply.headers()).toMatchObject({ 'content-type': 'video/mp4', 'content-length': '200' });
  expect(rangeReply.headers()['content-range']).toMatch(/^bytes 100-299\/\d+$/);
  expect(rangeReply.headers()['content-encoding']).toBeUndefined();
});

/** Texts of the loaded captions; the browser loads captions on first access. */
const readCaptions = (video: Locator): Promise<string[]> =>
  video.evaluate((element: HTMLVideoElement) => {
    const textTrack = element.textTracks[0];
    if (textTrack?.mode === 'disabled') textTrack.mode = 'hidden';
    return [...(textTrack?.cues ?? [])].map((cue) => (cue as VTTCue).text);
  });
