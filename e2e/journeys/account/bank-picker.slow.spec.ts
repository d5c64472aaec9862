import type { Locator } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { openProfileStep, completeProfileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Presses the field: what covers the native list receives it. */
const press = (field: Locator): Promise<void> => field.locator('xpath=..').locator('button').click();

for (const size of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
])
  test(`the bank list shows logos and abbreviations and can be searched in any language, at ${size.width}`, async ({
    page,
    address,
  }) => {
    await page.setViewportSize(size);
    await openProfileStep(page, address);
    await completeProfileStep(page);
    const field = page.getByLabel(translate('register:bank'), { exact: true });
    await expect(field.locator('option')).not.toHaveCount(1);
    await press(field);
    const picker = dialogByName(page, translate('register:bank'));
    const banks = picker.getByRole('listitem').getByRole('button');
    await expect(banks.first()).toBeVisible();
    const all = await banks.count();
    expect(all).toBe((await field.locator('option').count()) - 1);
    await expect(banks.first().locator('svg')).toBeVisible();
    const search = picker.getByLabel(translate('parts:bankSearch'));
    for (const [typed, code] of [
      ['scb', 'SCB'],
      ['ไทยพาณิชย์', 'SCB'],
      ['Siam Commercial', 'SCB'],
      ['ໄທພານິດ', 'SCB'],
      ['BCEL', 'BCEL'],
      ['ทหารไทยธนชาต', 'ttb'],
    ] as const) {
      await search.fill(typed);
      await expect(banks.filter({ hasText: new RegExp(`${code}$`) })).toHaveCount(1);
      expect(await banks.count()).toBeLessThan(all);
    }
    await search.fill('no such bank');
    await expect(banks).toHaveCount(0);
    await expect(picker.getByText(translate('parts:bankNotFound'))).toBeVisible();
    await search.fill('scb');
    await banks.filter({ hasText: /SCB$/ }).click();
    await expect(picker).toBeHidden();
    await expect(field).toHaveValue('SCB');
    await expect(field).toBeFocused();
    // Keys and screen readers keep the native list.
    await field.selectOption('KBANK');
    await expect(field).toHaveValue('KBANK');
  });

test('the profile uses the same searchable bank list as registration', async ({ memberPage: page }) => {
  await openHome(page);
  await page.goto('/user/profile');
  await buttonByName(page, translate('profile:edit')).click();
  const form = dialogByName(page, translate('profile:edit'));
  const field = form.getByLabel(translate('profile:bankName'));
  await press(field);
  const picker = dialogByName(page, translate('profile:bankName'));
  await picker.getByLabel(translate('parts:bankSearch')).fill('gsb');
  await picker.getByRole('listitem').getByRole('button').first().click();
  await expect(field).toHaveValue('GSB');
  await expect(form).toBeVisible();
});
