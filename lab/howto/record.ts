/**
 * `npm run lab -- howto`: records the tutorials of /howto as a new member on a phone, in each language, with captions and posters.
 * Needs ffmpeg. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one.
 */
import { STORAGE, type Tutorial, tutorials } from '@krapao/contract/constants';
import { languages, type Language } from '@krapao/contract/languages';
import { chromium, type Browser } from '@playwright/test';
import { chromiumPath, flags } from '../../e2e/support/browser.ts';
import { appUrl, newAddress, newMember } from '../../e2e/support/member.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { signIn } from '../../e2e/support/test.ts';
import { sentences, speaking } from '../../e2e/support/words.ts';
import { Camera } from './camera.ts';
import { openStudio, SCREEN } from './frame.ts';
import { requireFfmpeg, writeCaptions, writePoster, writeVideo } from './video-files.ts';
import { walks } from './walks.ts';

const FOLDER = new URL('../../web/public/howto/', import.meta.url).pathname;
/** Recorded larger than shown, so that text stays sharp. */
const SCALE = 2;
/** Invented names. */
const NAMES: Readonly<Record<Language, string>> = { th: 'แก้วตา ทดลอง', la: 'ບຸນມີ ທົດລອງ', en: 'Robin Sample' };

/** Keys of a tutorial's steps, in order. */
function stepsOf(name: Tutorial, language: Language): string[] {
  const start = `howto:tutorial.${name}.steps.`;
  return [...sentences(language).keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
}

async function record(browser: Browser, name: Tutorial, language: Language): Promise<void> {
  const member = await newMember({ name: NAMES[language] });
  const context = await browser.newContext({
    baseURL: appUrl(),
    viewport: SCREEN,
    deviceScaleFactor: SCALE,
    hasTouch: true,
    reducedMotion: 'reduce',
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
  });
  try {
    const studio = await context.newPage();
    const page = await context.newPage();
    await signIn(page, member);
    await page.evaluate(([key, value]) => localStorage.setItem(key, value), [STORAGE.locale, language] as const);
    const say = speaking(language);
    const steps = stepsOf(name, language);
    const camera = new Camera({ name, steps, say, draw: await openStudio(studio, language) });
    await walks[name]({ page, member, say, camera });
    const { stills, poster } = camera.finish();
    const path = `${FOLDER}${name}.${language}`;
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

const requested = new Set(process.argv.slice(2));
const known: readonly string[] = [...tutorials, ...languages];
const unknown = [...requested].filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no tutorial or language ${unknown.join(', ')}: ${known.join(', ')}.\n`);
  process.exit(1);
}
const selected = <T extends string>(all: readonly T[]): readonly T[] => {
  const matches = all.filter((name) => requested.has(name));
  return matches.length > 0 ? matches : all;
};

requireFfmpeg();
const stop = await startSystem();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: flags });
try {
  for (const name of selected(tutorials))
    for (const language of selected(languages)) await record(browser, name, language);
} finally {
  await browser.close();
  await stop();
}
