import type { APIRequestContext } from '@playwright/test';
import sharp from 'sharp';
import { depositSheet } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { dialogByName } from '../../support/user-actions.ts';

type ManifestImage = { src: string; sizes: string; type: string; form_factor?: string; label?: string };
type WebManifest = {
  lang: string;
  name: string;
  description: string;
  icons: ManifestImage[];
  screenshots: ManifestImage[];
  shortcuts: { name: string; url: string; icons: ManifestImage[] }[];
};

const HTML_LANG: Readonly<Record<Language, string>> = { th: 'th', la: 'lo', en: 'en' };
const PICTURE_BYTES_MAX = 150_000;

/** Expects that an image of the manifest exists in its declared size. */
async function expectPicture(request: APIRequestContext, { src, sizes, type }: ManifestImage): Promise<void> {
  const imageReply = await request.get(src);
  expect(imageReply.headers()['content-type'], src).toBe(type);
  const bytes = await imageReply.body();
  expect(bytes.length, src).toBeLessThan(PICTURE_BYTES_MAX);
  const { width, height } = await sharp(bytes).metadata();
  expect(`${width}x${height}`, src).toBe(sizes);
}

test('the page describes the site in Thai, Lao and English, and the manifest has its texts, images and shortcuts', async ({
  page,
  request,
}) => {
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    const translate = translatorFor(language);
    await page.goto('/login');
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.locator('html')).toHaveAttribute('lang', HTML_LANG[language]);
    await page.reload();
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', translate('site:description'));
    const link = await page.locator('link[rel=manifest]').getAttribute('href');
    const webManifest = (await (await request.get(link ?? '')).json()) as WebManifest;
    expect(webManifest.lang).toBe(HTML_LANG[language]);
    expect(webManifest.description).toBe(translate('site:description'));
    expect(webManifest.shortcuts.map(({ name }) => name)).toEqual(
      ['home', 'bonus', 'statement', 'deposit', 'withdraw'].map((shortcutName) =>
        translate(`site:shortcut.${shortcutName}`),
      ),
    );
    for (const { url } of webManifest.shortcuts) expect((await request.get(url)).status(), url).toBe(200);
    expect(webManifest.screenshots.map(({ form_factor }) => form_factor)).toEqual(['narrow', 'wide']);
    const pictures = [
      webManifest.icons,
      webManifest.screenshots,
      webManifest.shortcuts.flatMap(({ icons: manifestIcons }) => manifestIcons),
    ].flat();
    for (const manifestImage of pictures) await expectPicture(request, manifestImage);
  }
});

test('the shortcuts of the installed app open deposit and withdrawal, and a reload opens neither again [R-WALLET-08]', async ({
  memberPage: page,
}) => {
  const translate = translatorFor('th');
  await openHome(page);
  for (const [hash, dialog] of [
    ['#deposit', depositSheet(page)],
    ['#withdraw', dialogByName(page, translate('withdraw:title'))],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`/user/home${hash}`);
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(/\/user\/home$/);
    await dialog.getByRole('button', { name: translate('common:close') }).click();
    await expect(dialog).toBeHidden();
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(dialog).toBeHidden();
  }
});
