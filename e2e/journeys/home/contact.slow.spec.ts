import { api } from '../../support/member.ts';
import { readQr } from '../../support/read-qr.ts';
import { expect, test } from '../../support/test.ts';

type ContactReply = { contactText: string; lineLink: string; lineName: string; lineQR: string };

test.describe('contact', () => {
  test('the contact page shows text, version 1.1.14, QR code and link of the look-up, with a top offset only for members [R-INFO-02]', async ({
    memberPage: page,
  }) => {
    const { body } = await api<ContactReply>('GET', '/api/lookup/contact');
    const topEdges: number[] = [];
    // The member first: a public page ends the session.
    for (const path of ['/user/contact', '/contact']) {
      await page.goto(path);
      const main = page.getByRole('main');
      await expect(main.getByText(body.contactText)).toBeVisible();
      await expect(main.getByText('เวอร์ชัน 1.1.14')).toBeVisible();
      const link = main.getByRole('link', { name: body.lineName });
      await expect(link).toHaveAttribute('href', body.lineLink);
      await expect(link).toHaveAttribute('rel', /noopener/);
      const qrImage = main.getByRole('img', { name: body.lineName });
      await expect.poll(() => qrImage.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      await expect.poll(async () => readQr(await qrImage.screenshot())).toBe(body.lineLink);
      const heading = await main.getByRole('heading', { level: 1 }).boundingBox();
      const mainBox = await main.boundingBox();
      topEdges.push((heading?.y ?? 0) - (mainBox?.y ?? 0));
    }
    const [members = 0, visitors = 0] = topEdges;
    expect(members - visitors).toBeGreaterThan(8);
  });

  test('the contact page opens the chat of the app from a button with words, unless the operator has no chat', async ({
    memberPage: page,
  }) => {
    const entry = page.getByRole('main').getByRole('button', { name: 'แชตกับทีมงานที่นี่' });
    for (const path of ['/user/contact', '/contact']) {
      await page.goto(path);
      await entry.click();
      await expect(page.getByRole('dialog', { name: 'แชตกับทีมงาน' })).toBeVisible();
      expect(new URL(page.url()).pathname).toBe(path);
    }
    await page.route('**/api/lookup/enableChatWidget', (route) => route.fulfill({ json: { enableChatWidget: false } }));
    await page.reload();
    await expect(page.getByRole('main').getByRole('link', { name: /^เปิดแชต/ })).toBeVisible();
    await expect(entry).toHaveCount(0);
  });

  test('a link that opens the chat app works, also inside the text; one that would run a script is not a link', async ({
    page,
  }) => {
    const { body } = await api<ContactReply>('GET', '/api/lookup/contact');
    const main = page.getByRole('main');
    const link = main.getByRole('link', { name: body.lineName });
    for (const [lineLink, expectedHref] of [
      ['line://ti/p/@krapao', 1],
      ['javascript:alert(1)', 0],
    ] as const) {
      const contactText = `<p><a href="${lineLink}">ทักแชต</a></p>`;
      await page.route('**/api/lookup/contact', (route) => route.fulfill({ json: { ...body, contactText, lineLink } }));
      await page.goto('/contact');
      await expect(main.getByText('ทักแชต')).toBeVisible();
      await expect(link).toHaveCount(expectedHref);
      await expect(main.locator(`a[href="${lineLink}"]`)).toHaveCount(expectedHref * 2);
    }
  });
});
