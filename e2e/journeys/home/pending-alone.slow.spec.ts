import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { api, appUrl, type Member } from '../../support/member.ts';
import { fundWallet, memberAsPayer, openGameAccount } from '../../support/money.ts';
import { strip } from '../../support/pending.ts';
import { clearFaults, endPayout, holdPayouts, setFault, transferAtBank } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { type Translate, translatorFor } from '../../support/translate.ts';

const PAGES = ['profile', 'bonus', 'spin', 'statement', 'howto', 'contact', 'home'];
const GSB_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };
/** An inquiry is repeated after up to 30 s. */
const SETTLE_TIMEOUT = { timeout: 75_000 };

type OpenItem = {
  waits: (translate: Translate) => string;
  ended: (translate: Translate) => string;
  end: () => Promise<unknown>;
};

async function openWithdrawal(member: Member): Promise<OpenItem> {
  await holdPayouts(true);
  const { body } = await api<{ reference: string }>('POST', '/api/wallet/withdraw', {
    token: member.token,
    body: { amount: 150 },
  });
  return {
    waits: (translate) => translate('money:strip.withdraw', { amount: '฿150.00' }),
    ended: (translate) => translate('money:ended.withdraw', { amount: '฿150.00' }),
    end: () => endPayout(body.reference, 'PAID'),
  };
}

async function openTransfer(member: Member): Promise<OpenItem> {
  await openGameAccount(member, 'pg');
  await setFault({ target: 'game:pg', fault: 'timeout-applied', times: 1 });
  await setFault({ target: 'game:pg', fault: 'error-500', call: 'GetSingleTransaction', times: 40 });
  const { status } = await api('POST', '/api/wallet/transfer', {
    token: member.token,
    body: { from: 'WALLET', to: 'pg', amount: 120 },
  });
  expect(status).toBe(202);
  return {
    waits: (translate) => translate('money:strip.transfer', { amount: '฿120.00', game: 'PG SLOT' }),
    ended: (translate) => translate('money:ended.transfer', { amount: '฿120.00' }),
    end: clearFaults,
  };
}

async function openSlip(member: Member): Promise<OpenItem> {
  await setFault({ target: 'bank', call: 'slip-lookup', fault: 'bank-down', times: 40 });
  const form = new FormData();
  form.append('file', await transferAtBank(memberAsPayer(member), GSB_ACCOUNT, '87.50'), 'slip.png');
  const headers = { 'x-requested-with': 'XMLHttpRequest', authorization: `Bearer ${member.token}` };
  const reply = await fetch(`${appUrl()}/api/wallet/slip`, { method: 'POST', body: form, headers });
  expect(reply.status).toBe(200);
  return {
    waits: (translate) => translate('money:strip.slip'),
    ended: (translate) => translate('money:ended.deposit', { amount: '฿87.50' }),
    end: clearFaults,
  };
}

const waiting = (page: Page, translate: Translate, item: OpenItem) =>
  strip(page, translate).getByRole('button', { name: item.waits(translate) });

test.describe('a pending item of each kind', () => {
  test.afterEach(async () => {
    await holdPayouts(false);
    await clearFaults();
  });

  for (const [kind, open] of [
    ['withdrawal', openWithdrawal],
    ['transfer', openTransfer],
    ['slip', openSlip],
  ] as const)
    test(`a pending ${kind} is in the strip on every page, after a reload and on another device, until it has ended [R-WALLET-02]`, async ({
      memberPage: page,
      member,
      browser,
    }) => {
      test.setTimeout(240_000);
      const [thai, lao] = [translatorFor('th'), translatorFor('la')];
      await fundWallet(member, 300);
      const item = await open(member);
      const other = await browser.newContext();
      const device = await other.newPage();
      await signIn(device, member);
      await device.evaluate(() => localStorage.setItem('locale', 'la'));
      await device.goto('/user/profile');
      await expect(waiting(device, lao, item)).toBeVisible();
      await openHome(page);
      for (const path of PAGES) {
        await page.goto(`/user/${path}`);
        await expect(waiting(page, thai, item), path).toBeVisible();
      }
      await page.reload();
      await expect(waiting(page, thai, item)).toBeVisible();
      // A good end is shown for six seconds, so the wait starts before it.
      await Promise.all([
        expect(strip(page, thai).getByText(item.ended(thai))).toBeVisible(SETTLE_TIMEOUT),
        expect(strip(device, lao).getByText(item.ended(lao))).toBeVisible(SETTLE_TIMEOUT),
        item.end(),
      ]);
      await expect(strip(page, thai)).toHaveCount(0);
      await expect(strip(device, lao)).toHaveCount(0);
      const listed = device.waitForResponse('**/api/pending');
      await device.reload();
      await listed;
      await expect(strip(device, lao)).toHaveCount(0);
      await other.close();
    });
});
