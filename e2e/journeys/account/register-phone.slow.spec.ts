import { newPhone } from '../../support/member.ts';
import { completeCodeStep, nextButton, completePhoneStep, verifyPhone } from '../../support/register.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

test.describe('the phone of a new member', () => {
  test('registration skips the SMS code for a phone that was verified a moment ago [R-REG-01]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verifyPhone(phone, address);
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('a wrong SMS code shows an error, and the right one still works [R-REG-01]', async ({ page }) => {
    const phone = newPhone();
    await page.goto('/register');
    await completePhoneStep(page, phone);
    const { code } = await readNewestSms(phone);
    await page.getByLabel('รหัส OTP').fill(code === '000000' ? '000001' : '000000');
    await expect(page.getByRole('alert')).toBeVisible();
    await completeCodeStep(page, phone);
  });

  test('the countdown to another SMS code continues after a reload', async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/register');
    await completePhoneStep(page, phone);
    const resendButton = page.getByRole('button', { name: /^ส่งรหัสอีกครั้ง/ });
    await expect(resendButton).toContainText(/วินาที/);
    await page.clock.fastForward(40_000);
    await page.reload();
    await expect(resendButton).toHaveText(/ (\d|1\d|20) วินาที/);
    await expect(resendButton).toBeDisabled();
    await page.clock.fastForward(21_000);
    await expect(resendButton).toHaveText('ส่งรหัสอีกครั้ง');
    await expect(resendButton).toBeEnabled();
    await page.route('**/api/otp/send', (route) =>
      route.fulfill({
        json: { otpRef: 'REFB', otpToken: 'a-new-one', code: 'OTP_SENT', expiresAt: '2030-01-01T00:00:00.000Z' },
      }),
    );
    await resendButton.press('Enter');
    await expect(page.getByText('REFB')).toBeVisible();
    // The countdown restarts, and focus moves on from the button.
    await expect(resendButton).toBeDisabled();
    await expect(resendButton).toBeFocused();
  });

  test('a pasted phone number with country code, blanks, Thai or Lao digits becomes ten digits, at registration and login', async ({
    page,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const sentBodies: unknown[] = [];
    await page.route(/api\/(otp\/send|login)$/, (route) => {
      const body = route.request().postDataJSON() as { phoneNumber?: string; username?: string };
      sentBodies.push(body.phoneNumber ?? body.username);
      return route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT' } });
    });
    for (const [path, button] of [
      ['/register', 'ถัดไป'],
      ['/login', 'เข้าสู่ระบบ'],
    ] as const) {
      await page.goto(path);
      const submitButton = page.getByRole('button', { name: button, exact: true });
      await expect(submitButton).toBeEnabled();
      const phone = page.getByLabel('เบอร์โทรศัพท์');
      await page.evaluate(() => navigator.clipboard.writeText('+66 81 234 5678'));
      await phone.focus();
      await page.keyboard.press('ControlOrMeta+V');
      await expect(phone).toHaveValue('0812345678');
      for (const writtenPhone of ['081-234-5678', '๐๘๑๒๓๔๕๖๗๘', '໐໘໑ ໒໓໔ ໕໖໗໘', '66812345678']) {
        await phone.fill('');
        await phone.fill(writtenPhone);
        await expect(phone).toHaveValue('0812345678');
      }
      if (path === '/login') await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
      await submitButton.click();
      await expect(page.getByRole('alert')).toBeVisible();
    }
    expect(sentBodies).toEqual(['0812345678', '0812345678']);
  });

  test('a phone number without ten digits or outside the mobile ranges is refused without a call, if the ranges are known', async ({
    page,
  }) => {
    let requestCount = 0;
    page.on('request', (request) => (requestCount += request.url().endsWith('/api/otp/send') ? 1 : 0));
    await page.goto('/register');
    const phone = page.getByLabel('เบอร์โทรศัพท์');
    for (const shortPhone of ['081234567', '08123456789']) {
      await completePhoneStep(page, shortPhone);
      await expect(phone).toHaveAccessibleDescription(new RegExp(translate('register:phoneDigits')));
    }
    for (const landlinePhone of ['0212345678', '0712345678']) {
      await completePhoneStep(page, landlinePhone);
      await expect(phone).toHaveAccessibleDescription(translate('register:phoneNotMobile'));
    }
    expect(requestCount).toBe(0);
    await page.route('**/api/lookup/info', (route) => route.abort());
    await page.reload();
    await completePhoneStep(page, '0712345678');
    await expect(phone).toHaveAccessibleDescription(new RegExp(translate('errors:refused.PHONE_NOT_MOBILE')));
    expect(requestCount).toBe(1);
  });

  test('pressing Enter twice sends one SMS code', async ({ page }) => {
    const { promise: replyReleased, resolve: releaseReply } = Promise.withResolvers<void>();
    let requestCount = 0;
    await page.route('**/api/otp/send', async (route) => {
      requestCount++;
      await replyReleased;
      await route.continue();
    });
    await page.goto('/register');
    const phone = page.getByLabel('เบอร์โทรศัพท์');
    await phone.fill(newPhone());
    // Before hydration, Enter sends nothing.
    await expect(nextButton(page)).toBeEnabled();
    await phone.press('Enter');
    await expect.poll(() => requestCount).toBe(1);
    await phone.press('Enter');
    releaseReply();
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
    expect(requestCount).toBe(1);
  });
});
