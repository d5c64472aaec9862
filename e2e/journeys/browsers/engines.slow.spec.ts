import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { BrowserUser } from '../../support/engines/browser-user.ts';
import { openOldestChromium } from '../../support/engines/chromium.ts';
import type { BrowserEngine } from '../../support/engines/engine.ts';
import { openFirefox } from '../../support/engines/firefox.ts';
import { openWebKit } from '../../support/engines/webkit.ts';
import { appUrl, newAccountNo, newPhone } from '../../support/member.ts';
import { readQr } from '../../support/read-qr.ts';
import { readNewestSms, payQr } from '../../support/simulators.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');
const USER_PASSWORD = 'Basket-of-gold-9';
const ENGINES: Readonly<Record<string, () => Promise<BrowserEngine>>> = {
  WebKit: openWebKit,
  Firefox: openFirefox,
  'Chromium without what a supported browser lacks': openOldestChromium,
};

/** Amounts in the statement, newest first. Runs in the page. */
const MOVEMENTS_EXPRESSION = `[...document.querySelectorAll('main li')].map((row) => /[+−][\\d,]+\\.\\d\\d/.exec(row.innerText)?.[0])`;
const TOTAL_EXPRESSION = `document.querySelector('.fit-amount')?.textContent`;

/** Rotation of each visible card in the first carousel, in degrees; 0 for the front card. */
const TURNS_EXPRESSION = `[...document.querySelector('.carousel').querySelectorAll('.carousel-card')].map((card) => {
  const matrix = new DOMMatrix(getComputedStyle(card).transform);
  return Math.round((Math.atan2(matrix.m13, matrix.m11) * -180) / Math.PI);
})`;

async function register(user: BrowserUser, phone: string): Promise<void> {
  await user.engine.open(`${appUrl()}/register`);
  await user.write(translate('register:phone'), phone);
  await user.pressElement('button', translate('common:next'));
  await user.see(translate('register:stepCode'));
  await user.type(translate('register:code'), (await readNewestSms(phone)).code);
  await user.write(translate('register:name'), 'Robin');
  await user.write(translate('register:password'), USER_PASSWORD);
  await user.write(translate('register:confirmPassword'), USER_PASSWORD);
  await user.choose(translate('register:source'));
  await user.pressElement('button', translate('common:next'));
  await user.choose(translate('register:bank'), 'SCB');
}

async function logIn(user: BrowserUser, phone: string): Promise<void> {
  await user.waitForValue('location.pathname', '/login');
  // The login field keeps the registered phone number.
  await user.waitForValue(`document.querySelector('main input')?.value.replaceAll(/\\D/g, '')`, phone);
  await user.write(translate('login:password'), USER_PASSWORD);
  await user.pressElement('button', translate('login:submit'));
  await user.pressElement('button', translate('agreement:accept'));
  await user.waitForValue('location.pathname', '/user/home');
  await user.waitForValue(`document.querySelectorAll('dialog[open]').length`, 0);
}

async function depositByQr(user: BrowserUser, amount: number, accountNo: string): Promise<void> {
  await user.pressElement('button', translate('home:deposit'));
  await user.pressAt('dialog nav section button');
  await user.pressElement('button', String(amount));
  await user.pressElement('button', translate('deposit:create'));
  await user.waitForValue(
    `Boolean(document.querySelector('dialog img[alt="${translate('deposit:qrOf', { amount: `฿${amount}.00` })}"]'))`,
    true,
  );
  let payload: string | undefined;
  await expect
    .poll(async () => (payload = await readQr(await user.engine.screenshot())), { timeout: 30_000 })
    .toBeTruthy();
  await payQr(payload ?? '', { bankCode: 'SCB', accountNo, accountName: 'ROBIN SAMPLE' });
  await user.see(translate('deposit:arrivedAmount', { amount: `฿${amount}.00` }));
  await user.pressElement('button', translate('deposit:finish'));
  await user.waitForValue(TOTAL_EXPRESSION, `${amount}.00`);
}

/** Scrolls the carousel: cards beside the front card are rotated and turn with the scroll. */
async function rotateCarousel(user: BrowserUser): Promise<void> {
  await user.waitForValue(`(${TURNS_EXPRESSION}).slice(0, 3).map((turn) => Math.sign(turn))`, [-1, 0, 1]);
  await user.engine.evaluate(
    `document.querySelector('.carousel').scrollTo({ left: 3 * document.querySelector('.carousel-item').offsetWidth, behavior: 'instant' })`,
  );
  await user.waitForValue(`(${TURNS_EXPRESSION}).slice(2, 5).map((turn) => Math.sign(turn))`, [-1, 0, 1]);
}

/** Opens an account at a game and returns home. */
async function openGame(user: BrowserUser): Promise<void> {
  await user.engine.evaluate(`fetch('/api/wallet/activate/pg', {
    headers: {
      authorization: 'Bearer ' + (sessionStorage.getItem('token') ?? localStorage.getItem('token')),
      'x-requested-with': 'XMLHttpRequest',
    },
  }).then((reply) => reply.status)`);
  await user.engine.open(`${appUrl()}/user/home`);
}

async function transfer(user: BrowserUser, amount: string): Promise<void> {
  await user.pressElement('button', translate('home:transfer'));
  await user.write(translate('transfer:amount'), amount);
  await user.pressElement('button', translate('transfer:submit'));
  await user.see(translate('transfer:successTitle'));
  await user.pressElement('button', translate('common:ok'));
  await user.waitForValue(`document.querySelectorAll('dialog[open]').length`, 0);
}

async function withdraw(user: BrowserUser, amount: string): Promise<void> {
  await user.pressElement('button', translate('home:withdraw'));
  await user.write(translate('withdraw:amount'), amount);
  await user.pressElement('button', translate('withdraw:submit'));
  await user.pressElement('button', translate('withdraw:review.confirm'));
  await user.see(translate('withdraw:paidTitle'));
  await user.pressElement('button', translate('common:ok'));
}

/** Spins once and waits until the wheel stops. */
async function spin(user: BrowserUser): Promise<void> {
  await user.engine.open(`${appUrl()}/user/spin`);
  await user.pressElement('button', translate('spinwheel:spin'), true);
  const wheelStatus = `document.querySelector('section[aria-labelledby=wheel-name] p[role=status]')?.textContent ?? ''`;
  const outcomes = [translate('spinwheel:nothing'), translate('spinwheel:won', { label: '' }).trim()];
  await user.waitForValue(`${JSON.stringify(outcomes)}.some((outcome) => (${wheelStatus}).includes(outcome))`, true);
}

/** Selects an image in the chat and sends it. */
async function sendImage(user: BrowserUser): Promise<void> {
  await user.engine.open(`${appUrl()}/user/contact`);
  await user.pressElement('button', translate('chat:open'));
  await user.waitForValue(`Boolean(document.querySelector('dialog[open] input[type=file]'))`, true);
  await user.engine.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
    canvas.getContext('2d').fillRect(8, 8, 48, 48);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const chosen = new DataTransfer();
    chosen.items.add(new File([blob], 'picture.png', { type: 'image/png' }));
    const input = document.querySelector('dialog[open] input[type=file]');
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await user.pressElement('button', translate('chat:attach.send_other', { count: 1 }));
  await user.waitForValue(
    `[...document.querySelectorAll('dialog[open] [role=log] img, dialog[open] li img')].some((image) => image.naturalWidth === 64)`,
    true,
  );
}

for (const [name, openEngine] of Object.entries(ENGINES)) {
  test(`in ${name} a new member deposits by QR, transfers, spins, withdraws, reads the statement and sends a picture in the chat`, async ({}, info) => {
    test.setTimeout(300_000);
    const [phone, accountNo] = [newPhone(), newAccountNo()];
    const user = new BrowserUser(await openEngine());
    try {
      await register(user, phone);
      await user.write(translate('register:accountNo'), accountNo);
      await user.write(translate('register:firstName'), 'ROBIN');
      await user.write(translate('register:lastName'), 'SAMPLE');
      await user.pressElement('button', translate('register:submit'));
      await logIn(user, phone);
      await rotateCarousel(user);
      await depositByQr(user, 500, accountNo);
      await openGame(user);
      await transfer(user, '100');
      await user.waitForValue(TOTAL_EXPRESSION, '500.00');
      await withdraw(user, '150');
      await user.waitForValue(TOTAL_EXPRESSION, '350.00');
      await spin(user);
      await user.engine.open(`${appUrl()}/user/statement`);
      await user.waitForValue(`(${MOVEMENTS_EXPRESSION}).slice(-3)`, ['−150.00', '−100.00', '+500.00']);
      await sendImage(user);
    } catch (error) {
      await writeFile(info.outputPath('screen.png'), await user.engine.screenshot());
      throw error;
    } finally {
      await user.engine.close();
    }
  });
}
