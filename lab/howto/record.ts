/**
 * `npm run lab -- howto`: records the tutorials of /howto as a new member on a phone, in each language, with captions and posters.
 * Needs ffmpeg. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one.
 */
import { STORAGE, type Tutorial, tutorials } from '@krapao/contract/constants';
import { languages, type Language } from '@krapao/contract/languages';
import { chromium, type Browser } from '@playwright/test';
import { chromiumPath, CHROMIUM_FLAGS } from '../../e2e/support/browser.ts';
import { appUrl, newAddress, newMember } from '../../e2e/support/member.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { signIn } from '../../e2e/support/test.ts';
import { readPhrases, translatorFor } from '../../e2e/support/translate.ts';
import { Camera } from './camera.ts';
import { openStudio, SCREEN } from './frame.ts';
import { tutorialActions } from './tutorial-actions.ts';
import { requireFfmpeg, writeCaptions, writePoster, writeVideo } from './video-files.ts';

const OUTPUT_FOLDER = new URL('../../web/public/howto/', import.meta.url).pathname;
/** Recorded larger than shown, so that text stays sharp. */
const RECORDING_SCALE = 2;
/** Invented names. */
const MEMBER_NAMES: Readonly<Record<Language, string>> = { th: 'แก้วตา ทดลอง', la: 'ບຸນມີ ທົດລອງ', en: 'Robin Sample' };

/** Keys of a tutorial's steps, in order. */
function stepsOf(name: Tutorial, language: Language): string[] {
  const start = `howto:tutorial.${name}.steps.`;
  return [...readPhrases(language).keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

async function record(browser: Browser, name: Tutorial, language: Language): Promise<void> {
  const member = await newMember({ name: MEMBER_NAMES[language] });
  const context = await browser.newContext({
    baseURL: appUrl(),
    viewport: SCREEN,
    deviceScaleFactor: RECORDING_SCALE,
    hasTouch: true,
    reducedMotion: 'reduce',
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
  });
  try {
    const studioPage = await context.newPage();
    const page = await context.newPage();
    await signIn(page, member);
    await page.evaluate(([key, value]) => localStorage.setItem(key, value), [STORAGE.locale, language] as const);
    const say = translatorFor(language);
    const steps = stepsOf(name, language);
    const camera = new Camera({ name, steps, say, draw: await openStudio(studioPage, language) });
    await tutorialActions[name]({ page, member, say, camera });
    const { stills, poster } = camera.finish();
    const path = `${OUTPUT_FOLDER}${name}.${language}`;
    await writeVideo(`${path}.mp4`, stills);
    await writeCaptions(
      `${path}.vtt`,
      steps.map((step) => say(`howto:tutorial.${name}.steps.${step}`)),
    );
    await writePoster(`${path}.jpg`, poster);
    process.stdout.write(`${name} in ${language}\n`);
  } finally {
    await context.close();
  }
}

const requestedNames = new Set(process.argv.slice(2));
const knownNames: readonly string[] = [...tutorials, ...languages];
const unknownNames = [...requestedNames].filter((name) => !knownNames.includes(name));
if (unknownNames.length > 0) {
  process.stderr.write(`There is no tutorial or language ${unknownNames.join(', ')}: ${knownNames.join(', ')}.\n`);
  process.exit(1);
}
const selectRequested = <T extends string>(values: readonly T[]): readonly T[] => {
  const matches = values.filter((name) => requestedNames.has(name));
  return matches.length > 0 ? matches : values;
};

requireFfmpeg();
const stop = await startSystem();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
try {
  for (const name of selectRequested(tutorials))
    for (const language of selectRequested(languages)) await record(browser, name, language);
} finally {
  await browser.close();
  await stop();
}
