import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';
import { earnWheelCoins, openWheel, readWheelSetup, spinByApi } from '../../support/wheel.ts';

const translate = translatorFor('th');
const SPIN_COUNT = 7;
const PER_PAGE = 5;

type SpinsReply = { total: number; spins: { code: string; serverSeed: string | null }[] };

const pastSpins = (page: Page) => page.getByRole('list', { name: translate('fairness:past') }).getByRole('listitem');

/** Sets another client seed, which reveals the server seed. @returns the revealed seed */
async function changeSeed(page: Page, clientSeed: string): Promise<string> {
  const seedReply = page.waitForResponse('**/api/spinwheel/seed');
  await page.getByLabel(translate('fairness:clientSeed'), { exact: true }).fill(clientSeed);
  await buttonByName(page, translate('fairness:rotate')).click();
  const body = (await (await seedReply).json()) as { revealed: { serverSeed: string } };
  await expect(page.getByText(translate('fairness:seedFits')).first()).toBeVisible();
  await expect(page.getByText(translate('fairness:nextKept'))).toBeVisible();
  return body.revealed.serverSeed;
}

test.describe('verification of spins', () => {
  test('the commitment is published before a spin; after a change of seed the browser verifies every spin, offline too', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await earnWheelCoins(member, SPIN_COUNT);
    const { commitment, nextCommitment } = (await readWheelSetup(member)).fairness;
    for (let spinNumber = 0; spinNumber < SPIN_COUNT; spinNumber += 1) await spinByApi(member);
    await openWheel(page);
    await page.getByText(translate('spinwheel:verify')).click();
    await expect(page.getByText(commitment)).toBeVisible();
    await expect(page.getByText(nextCommitment)).toBeVisible();
    await expect(pastSpins(page)).toHaveCount(PER_PAGE);
    await expect(pastSpins(page).getByText(translate('fairness:sealed'))).toHaveCount(PER_PAGE);
    await expect(pastSpins(page).getByRole('button')).toHaveCount(0);

    const clientSeed = await changeSeed(page, 'my own seed 9');
    expect(createHash('sha256').update(Buffer.from(clientSeed, 'hex')).digest('hex')).toBe(commitment);
    await expect(page.getByText(nextCommitment)).toBeVisible();
    expect((await readWheelSetup(member)).fairness).toMatchObject({
      commitment: nextCommitment,
      clientSeed: 'my own seed 9',
    });
    await expect(pastSpins(page).getByRole('button')).toHaveCount(PER_PAGE);

    await context.setOffline(true);
    for (const row of await pastSpins(page).all()) {
      const label = await row.getByRole('paragraph').first().innerText();
      await row.getByRole('button').click();
      await expect(row.getByText(translate('fairness:seedFits'))).toBeVisible();
      await expect(row.getByText(translate('fairness:drawFits', { label }))).toBeVisible();
      await expect(row.getByText(commitment)).toBeVisible();
    }
    await context.setOffline(false);
    await page
      .getByRole('region', { name: translate('fairness:past') })
      .getByRole('button', { name: translate('parts:pagination.next') })
      .click();
    await expect(pastSpins(page)).toHaveCount(SPIN_COUNT - PER_PAGE);
  });

  test('the verification detects a spin reported other than drawn, and a seed without its commitment', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 2);
    await spinByApi(member);
    await spinByApi(member);
    await page.route('**/api/spinwheel/spins', async (route) => {
      const serverReply = await route.fetch();
      const reply = (await serverReply.json()) as SpinsReply;
      const [newestSpin, oldestSpin] = reply.spins;
      if (!newestSpin || !oldestSpin) throw new Error('the spins are missing');
      newestSpin.code = 'SOMETHING-ELSE';
      if (oldestSpin.serverSeed)
        oldestSpin.serverSeed = oldestSpin.serverSeed.replace(/^./, (firstDigit) => (firstDigit === '0' ? '1' : '0'));
      await route.fulfill({ response: serverReply, json: reply });
    });
    await openWheel(page);
    await page.getByText(translate('spinwheel:verify')).click();
    await changeSeed(page, 'another');
    const [newestRow, oldestRow] = [pastSpins(page).nth(0), pastSpins(page).nth(1)];
    await newestRow.getByRole('button').click();
    await expect(newestRow.getByText(translate('fairness:seedFits'))).toBeVisible();
    await expect(newestRow).toContainText(translate('fairness:drawDiffers', { code: '' }).split('  ')[0]?.trim() ?? '');
    await oldestRow.getByRole('button').click();
    await expect(oldestRow.getByText(translate('fairness:seedDiffers'))).toBeVisible();
  });

  test('a seed with characters that not every keyboard has is refused before sending', async ({ memberPage: page }) => {
    let seedRequests = 0;
    page.on('request', (request) => (seedRequests += request.url().endsWith('/api/spinwheel/seed') ? 1 : 0));
    await openWheel(page);
    await page.getByText(translate('spinwheel:verify')).click();
    for (const invalidSeed of ['', 'กระเป๋า']) {
      await page.getByLabel(translate('fairness:clientSeed'), { exact: true }).fill(invalidSeed);
      await buttonByName(page, translate('fairness:rotate')).click();
      await expect(page.getByRole('alert')).toHaveText(translate('fairness:clientSeedWrong'));
    }
    expect(seedRequests).toBe(0);
  });
});
