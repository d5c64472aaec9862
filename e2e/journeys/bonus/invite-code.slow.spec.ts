import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import { api, newAccountNo } from '../../support/member.ts';
import { completeProfileStep, openProfileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('an invitation', () => {
  test('an invitation by LINE contains the message and the invite link', async ({ memberPage: page, member }) => {
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    const lineLink = sheet.getByRole('link', { name: translate('invite:shareLine') });
    const inviteLink = new URL(`/register?code=PR${member.id}`, page.url()).href;
    const message = `${translate('invite:shareText', { name: 'Krapao' })}\n${inviteLink}`;
    await expect(lineLink).toHaveAttribute('href', `https://line.me/R/msg/text/?${encodeURIComponent(message)}`);
    await expect(lineLink).toHaveAttribute('rel', /noopener/);
    expect((await lineLink.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await expect(buttonByName(sheet, translate('invite:copy'))).toBeInViewport({ ratio: 1 });
  });

  test('the invite dialog and the profile show the member code in two groups of four', async ({
    memberPage: page,
    member,
  }) => {
    const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/wallet', { token: member.token });
    const [firstGroup = '', secondGroup = ''] = body.profile.memberCode.match(/.{4}/g) ?? [];
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    const code = sheet.getByRole('group', { name: translate('invite:code') });
    await expect(code.getByText(firstGroup, { exact: true })).toBeVisible();
    await expect(code.getByText(secondGroup, { exact: true })).toBeVisible();
    await page.goto('/user/profile');
    await expect(page.getByText(firstGroup, { exact: true })).toBeVisible();
    await expect(page.getByText(secondGroup, { exact: true })).toBeVisible();
  });

  test('an invite link with the 8-character member code registers the friend of that member', async ({
    page,
    member,
    address,
  }) => {
    const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/wallet', { token: member.token });
    const code = body.profile.memberCode;
    await page.goto(`/register?code=${code}`);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('invite code'))).toBe(code);
    await openProfileStep(page, address);
    await expect(page.getByLabel(translate('register:inviteCode'))).toHaveValue(code);
    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: translate('register:submit') }).click();
    await expect(page.getByText(translate('register:success'))).toBeVisible();
    const { body: invites } = await api<{ total: number; invites: { from: { name: string } }[] }>(
      'POST',
      '/api/invite',
      { token: member.token, body: { page: 1, limit: 10 } },
    );
    expect(invites).toMatchObject({ total: 1, invites: [{ from: { name: 'สมชาย ทดสอบ' } }] });
  });
});
