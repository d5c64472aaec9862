import type { Tutorial } from '@krapao/contract/constants';
import type { Page } from '@playwright/test';
import { openHome } from '../../e2e/support/home.ts';
import { api, type Member } from '../../e2e/support/member.ts';
import { fundWallet, openGameAccount, memberAsPayer, transferMoney } from '../../e2e/support/money.ts';
import { payQr, playRound } from '../../e2e/support/simulators.ts';
import { expect } from '../../e2e/support/test.ts';
import type { Translate } from '../../e2e/support/translate.ts';
import {
  buttonByName,
  gameCard,
  dialogByName,
  qrImageOfAmount,
  totalBalanceText,
  depositMethodButtons,
} from '../../e2e/support/user-actions.ts';
import { type Camera, toMiddle } from './camera.ts';

const TUTORIAL_GAME = { code: 'pg', name: 'PG SLOT' };

/** Receives a bonus in the browser's language. */
async function receiveBonus(page: Page, { token }: Member, code: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'x-requested-with': 'XMLHttpRequest' };
  const response = await page.request.get(`/api/bonus/activate/${code}`, { headers });
  expect(response.status(), await response.text()).toBe(200);
}

/** A new member and the camera. */
export type Scene = { page: Page; member: Member; say: Translate; camera: Camera };

/** Actions of each tutorial, one per text. */
export const tutorialActions: Readonly<Record<Tutorial, (scene: Scene) => Promise<void>>> = {
  async wallet({ page, member, say, camera }) {
    await fundWallet(member, 200);
    await openHome(page);
    await camera.look('home', page, page.getByRole('region', { name: say('home:total') }));
    await camera.tap('deposit', page, buttonByName(page, say('home:deposit')));
    const sheet = dialogByName(page, say('deposit:title'));
    await camera.tap('way', page, depositMethodButtons(sheet, say, 'qr').first());
    await buttonByName(sheet, '100').click();
    await camera.takePoster(page);
    const response = page.waitForResponse('**/api/qrcode/*');
    await camera.tap('create', page, buttonByName(sheet, say('deposit:create')));
    const { payload: qrPayload } = (await (await response).json()) as { payload: string };
    const qr = qrImageOfAmount(sheet, say, 100);
    // Viewers must not pay a code from a video.
    await qr.evaluate((image: HTMLElement) => (image.style.filter = 'blur(5px)'));
    await camera.look('pay', page, qr);
    await payQr(qrPayload, memberAsPayer(member));
    await expect(sheet.getByText(say('deposit:arrivedAmount', { amount: '฿100.00' }))).toBeVisible();
    await camera.look('arrived', page);
  },

  async game({ page, member, say, camera }) {
    await fundWallet(member, 200);
    await openHome(page);
    await toMiddle(gameCard(page, TUTORIAL_GAME.name));
    await camera.tap('card', page, gameCard(page, TUTORIAL_GAME.name));
    const sheet = dialogByName(page, TUTORIAL_GAME.name);
    await camera.look('open', page, sheet.getByText(say('game:playOpens')));
    await sheet.getByLabel(say('game:amount')).fill('100');
    await camera.look('amount', page, sheet.getByLabel(say('game:amount')));
    await camera.takePoster(page);
    const opening = page.context().waitForEvent('page');
    await camera.tap('play', page, buttonByName(sheet, say('game:transferAndPlay')));
    const game = await opening;
    await game.setViewportSize(page.viewportSize() ?? { width: 0, height: 0 });
    await expect(game.locator('#balance')).toHaveText('100.00');
    await camera.look('inside', game);
    await game.close();
    await expect(buttonByName(sheet, say('game:takeHome', { amount: '฿100.00' }))).toBeVisible();
    await camera.tap('home', page, buttonByName(sheet, say('game:takeHome', { amount: '฿100.00' })));
  },

  async balance({ page, member, say, camera }) {
    await fundWallet(member, 300);
    const { username } = await openGameAccount(member, TUTORIAL_GAME.code);
    await transferMoney(member, 'WALLET', TUTORIAL_GAME.code, 100);
    await openHome(page);
    await playRound(TUTORIAL_GAME.code, username, 20, 75);
    const plaque = page.getByRole('region', { name: say('home:total') });
    await camera.look('total', page, plaque);
    await camera.tap('check', page, buttonByName(page, say('home:checkBalance')));
    await expect(totalBalanceText(page, say)).toHaveText('355.00');
    await camera.look('fresh', page, plaque);
    await camera.takePoster(page);
    const cardElement = gameCard(page, TUTORIAL_GAME.name);
    await toMiddle(cardElement);
    await camera.look('card', page, cardElement);
    await camera.tap('menu', page, page.getByRole('link', { name: say('common:menu.statement') }));
    await expect(page.getByRole('list', { name: say('statement:title') })).toBeVisible();
    await camera.look('rows', page);
  },

  async receive({ page, member, say, camera }) {
    await fundWallet(member, 100);
    await openHome(page);
    const tile = page.getByRole('link', { name: say('home:bonusConditions') });
    await toMiddle(tile);
    await camera.tap('tile', page, tile);
    const offers = page.getByRole('region', { name: say('bonus:all') }).getByRole('button');
    await expect(offers.first()).toBeVisible();
    await camera.takePoster(page);
    await camera.tap('choose', page, offers.first());
    const offer = page.getByRole('dialog');
    const terms = offer.locator('dl').first();
    await toMiddle(terms);
    await camera.look('terms', page, terms);
    await camera.tap('receive', page, buttonByName(offer, say('bonus:receive')));
    await expect(offer).toContainText(say('bonus:received.title', { amount: '฿100.00' }));
    await camera.look('received', page);
    await buttonByName(offer, say('common:ok')).click();
    await expect(page.getByRole('progressbar').first()).toBeVisible();
    await camera.look('progress', page, page.getByRole('progressbar').first());
  },

  async finish({ page, member, say, camera }) {
    await fundWallet(member, 100);
    // Home opens first: a bonus keeps its name in the language in which it was received.
    await openHome(page);
    await receiveBonus(page, member, 'WELCOME');
    const { username } = await openGameAccount(member, TUTORIAL_GAME.code);
    await transferMoney(member, 'WALLET', TUTORIAL_GAME.code, 200);
    await playRound(TUTORIAL_GAME.code, username, 50, 230);
    await api('GET', '/api/wallet/refresh/slot', { token: member.token });
    await page.goto('/user/bonus');
    const progress = page.getByRole('progressbar').first();
    await expect(progress).toBeVisible();
    await camera.look('status', page, progress);
    await camera.takePoster(page);
    await camera.look('target', page, page.getByText(say('parts:condition.target')).first().locator('..'));
    await camera.tap('cancel', page, buttonByName(page, say('bonus:cancel.open')));
    const confirmation = dialogByName(page, say('bonus:cancel.title'));
    await camera.tap('confirm', page, buttonByName(confirmation, say('bonus:cancel.confirm')));
    await expect(page.locator('[data-toast=success]')).toBeVisible();
    await camera.look('done', page, page.locator('[data-toast=success]'));
    await page.getByRole('link', { name: say('common:menu.statement') }).click();
    await expect(page.getByRole('list', { name: say('statement:title') })).toBeVisible();
    await camera.look('row', page, page.getByRole('listitem').first());
  },
};
