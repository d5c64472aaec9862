import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { earnCoins, openWheel, setupOf, spin } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const SPINS = 7;
const PER_PAGE = 5;

type Spins = { total: number; spins: { code: string; serverSeed: string | null }[] };

const past = (page: Page) => page.getByRole('list', { name: say('fairness:past') }).getByRole('listitem');

/** Chooses another seed, which reveals the server's. @returns the seed that was revealed */
async function changeSeed(page: Page, seed: string): Promise<string> {
  const revealed = page.waitForResponse('**/api/spinwheel/seed');
  await page.getByLabel(say('fairness:clientSeed'), { exact: true }).fill(seed);
  await button(page, say('fairness:rotate')).click();
  const body = (await (await revealed).json()) as { revealed: { serverSeed: string } };
  await expect(page.getByText(say('fairness:seedFits')).first()).toBeVisible();
  await expect(page.getByText(say('fairness:nextKept'))).toBeVisible();
  return body.revealed.serverSeed;
}

test.describe('verifying spins', () => {
  test('the commitment stands there before; after a change of seed every spin is drawn again in the browser, without a line', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await earnCoins(member, SPINS);
    const { commitment, nextCommitment } = (await setupOf(member)).fairness;
    for (let made = 0; made < SPINS; made += 1) await spin(member);
    await openWheel(page);
    await page.getByText(say('spinwheel:verify')).click();
    await expect(page.getByText(commitment)).toBeVisible();
    await expect(page.getByText(nextCommitment)).toBeVisible();
    await expect(past(page)).toHaveCount(PER_PAGE);
    await expect(past(page).getByText(say('fairness:sealed'))).toHaveCount(PER_PAGE);
    await expect(past(page).getByRole('button')).toHaveCount(0);

    const seed = await changeSeed(page, 'my own seed 9');
    expect(createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex')).toBe(commitment);
    await expect(page.getByText(nextCommitment)).toBeVisible();
    expect((await setupOf(member)).fairness).toMatchObject({ commitment: nextCommitment, clientSeed: 'my own seed 9' });
    await expect(past(page).getByRole('button')).toHaveCount(PER_PAGE);

    await context.setOffline(true);
    for (const row of await past(page).all()) {
      const label = await row.getByRole('paragraph').first().innerText();
      await row.getByRole('button').click();
      await expect(row.getByText(say('fairness:seedFits'))).toBeVisible();
      await expect(row.getByText(say('fairness:drawFits', { label }))).toBeVisible();
      await expect(row.getByText(commitment)).toBeVisible();
    }
    await context.setOffline(false);
    await page
      .getByRole('region', { name: say('fairness:past') })
      .getByRole('button', { name: say('parts:pagination.next') })
      .click();
    await expect(past(page)).toHaveCount(SPINS - PER_PAGE);
  });

  test('a spin reported otherwise than it was drawn, and a seed without its commitment, are detected', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 2);
    await spin(member);
    await spin(member);
    await page.route('**/api/spinwheel/spins', async (route) => {
      const answer = await route.fetch();
      const reply = (await answer.json()) as Spins;
      const [newest, oldest] = reply.spins;
      if (!newest || !oldest) throw new Error('the spins are missing');
      newest.code = 'SOMETHING-ELSE';
      if (oldest.serverSeed)
        oldest.serverSeed = oldest.serverSeed.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      await route.fulfill({ response: answer, json: reply });
    });
    await openWheel(page);
    await page.getByText(say('spinwheel:verify')).click();
    await changeSeed(page, 'another');
    const [newest, oldest] = [past(page).nth(0), past(page).nth(1)];
    await newest.getByRole('button').click();
    await expect(newest.getByText(say('fairness:seedFits'))).toBeVisible();
    await expect(newest).toContainText(say('fairness:drawDiffers', { code: '' }).split('  ')[0]?.trim() ?? '');
    await oldest.getByRole('button').click();
    await expect(oldest.getByText(say('fairness:seedDiffers'))).toBeVisible();
  });

  test('a seed that can’t be typed on every keyboard is refused before it is sent', async ({ memberPage: page }) => {
    let asked = 0;
    page.on('request', (request) => (asked += request.url().endsWith('/api/spinwheel/seed') ? 1 : 0));
    await openWheel(page);
    await page.getByText(say('spinwheel:verify')).click();
    for (const wrong of ['', 'กระเป๋า']) {
      await page.getByLabel(say('fairness:clientSeed'), { exact: true }).fill(wrong);
      await button(page, say('fairness:rotate')).click();
      await expect(page.getByRole('alert')).toHaveText(say('fairness:clientSeedWrong'));
    }
    expect(asked).toBe(0);
  });
});
