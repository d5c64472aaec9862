import type { APIRequestContext } from '@playwright/test';
import sharp from 'sharp';
import { expect, test } from '../../support/test.ts';
import { type Language, speaking } from '../../support/words.ts';

type Picture = { src: string; sizes: string; type: string; form_factor?: string; label?: string };
type Manifest = {
  lang: string;
  name: string;
  description: string;
  icons: Picture[];
  screenshots: Picture[];
  shortcuts: { name: string; url: string; icons: Picture[] }[];
};

const HTML_LANG: Readonly<Record<Language, string>> = { th: 'th', la: 'lo', en: 'en' };
const PICTURE_BYTES_MAX = 150_000;

/** A picture of the manifest is there, of the size that it is announced with. */
async function expectPicture(request: APIRequestContext, { src, sizes, type }: Picture): Promise<void> {
  const answer = await request.get(src);
  expect(answer.headers()['content-type'], src).toBe(type);
  const bytes = await answer.body();
  expect(bytes.length, src).toBeLessThan(PICTURE_BYTES_MAX);
  const { width, height } = await sharp(bytes).metadata();
  expect(`${width}x${height}`, src).toBe(sizes);
}

test('in Thai, Lao and English the page describes the site, and what can be installed has its words, pictures and ways in', async ({
  page,
  request,
}) => {
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    const say = speaking(language);
    await page.goto('/login');
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.locator('html')).toHaveAttribute('lang', HTML_LANG[language]);
    await page.reload();
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', say('site:description'));
    const link = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = (await (await request.get(link ?? '')).json()) as Manifest;
    expect(manifest.lang).toBe(HTML_LANG[language]);
    expect(manifest.description).toBe(say('site:description'));
    expect(manifest.shortcuts.map(({ name }) => name)).toEqual(
      ['home', 'bonus', 'statement'].map((word) => say(`site:shortcut.${word}`)),
    );
    for (const { url } of manifest.shortcuts) expect((await request.get(url)).status(), url).toBe(200);
    expect(manifest.screenshots.map(({ form_factor }) => form_factor)).toEqual(['narrow', 'wide']);
    const pictures = [manifest.icons, manifest.screenshots, manifest.shortcuts.flatMap(({ icons }) => icons)].flat();
    for (const picture of pictures) await expectPicture(request, picture);
  }
});
