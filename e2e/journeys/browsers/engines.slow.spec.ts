import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { openOldestChromium } from '../../support/engines/chromium.ts';
import type { Engine } from '../../support/engines/engine.ts';
import { openFirefox } from '../../support/engines/firefox.ts';
import { EnginePerson } from '../../support/engines/person.ts';
import { openWebKit } from '../../support/engines/webkit.ts';
import { appUrl, newAccountNo, newPhone } from '../../support/member.ts';
import { newestCode, payQr } from '../../support/outside.ts';
import { readQr } from '../../support/read-qr.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PASSWORD = 'Basket-of-gold-9';
const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  WebKit: openWebKit,
  Firefox: openFirefox,
  'Chromium without what a supported browser lacks': openOldestChromium,
};

/** What the statement lists, newest first. Runs in the page. */
const MOVEMENTS = `[...document.querySelectorAll('main li')].map((row) => /[+−][\\d,]+\\.\\d\\d/.exec(row.innerText)?.[0])`;
const TOTAL = `document.querySelector('.fit-amount')?.textContent`;

/** The cards of the first carousel that are seen: how far each is turned, in degrees, 0 for the one in front. */
const TURNS = `[...document.querySelector('.carousel').querySelectorAll('.carousel-card')].map((card) => {
  const matrix = new DOMMatrix(getComputedStyle(card).transform);
  return Math.round((Math.atan2(matrix.m13, matrix.m11) * -180) / Math.PI);
})`;

async function register(person: EnginePerson, phone: string): Promise<void> {
  await person.engine.open(`${appUrl()}/register`);
  await person.write(say('register:phone'), phone);
  await person.press('button', say('common:next'));
  await person.see(say('register:stepCode'));
  await person.type(say('register:code'), (await newestCode(phone)).code);
  await person.write(say('register:name'), 'Robin');
  await person.write(say('register:password'), PASSWORD);
  await person.write(say('register:confirmPassword'), PASSWORD);
  await person.choose(say('register:source'));
  await person.press('button', say('common:next'));
  await person.choose(say('register:bank'), 'SCB');
}

async function logIn(person: EnginePerson, phone: string): Promise<void> {
  await person.until('location.pathname', '/login');
  // Registering leaves the number there.
  await person.until(`document.querySelector('main input')?.value.replaceAll(/\\D/g, '')`, phone);
  await person.write(say('login:password'), PASSWORD);
  await person.press('button', say('login:submit'));
  await person.press('button', say('agreement:accept'));
  await person.until('location.pathname', '/user/home');
  await person.until(`document.querySelectorAll('dialog[open]').length`, 0);
}

async function depositByQr(person: EnginePerson, amount: number, accountNo: string): Promise<void> {
  await person.press('button', say('home:deposit'));
  await person.pressAt('dialog nav section button');
  await person.press('button', String(amount));
  await person.press('button', say('deposit:create'));
  await person.until(
    `Boolean(document.querySelector('dialog img[alt="${say('deposit:qrOf', { amount: `฿${amount}.00` })}"]'))`,
    true,
  );
  let payload: string | undefined;
  await expect
    .poll(async () => (payload = await readQr(await person.engine.screenshot())), { timeout: 30_000 })
    .toBeTruthy();
  await payQr(payload ?? '', { bankCode: 'SCB', accountNo, accountName: 'ROBIN SAMPLE' });
  await person.see(say('deposit:arrivedAmount', { amount: `฿${amount}.00` }));
  await person.press('button', say('deposit:finish'));
  await person.until(TOTAL, `${amount}.00`);
}

/** Cards beside the one in front are turned away from it, and turn as the row scrolls. */
async function turnCarousel(person: EnginePerson): Promise<void> {
  await person.until(`(${TURNS}).slice(0, 3).map((turn) => Math.sign(turn))`, [-1, 0, 1]);
  await person.engine.evaluate(
    `document.querySelector('.carousel').scrollTo({ left: 3 * document.querySelector('.carousel-item').offsetWidth, behavior: 'instant' })`,
  );
  await person.until(`(${TURNS}).slice(2, 5).map((turn) => Math.sign(turn))`, [-1, 0, 1]);
}

/** Opens an account at a game and returns home. */
async function openGame(person: EnginePerson): Promise<void> {
  await person.engine.evaluate(`fetch('/api/wallet/activate/pg', {
    headers: {
      authorization: 'Bearer ' + (sessionStorage.getItem('token') ?? localStorage.getItem('token')),
      'x-requested-with': 'XMLHttpRequest',
    },
  }).then((reply) => reply.status)`);
  await person.engine.open(`${appUrl()}/user/home`);
}

async function transfer(person: EnginePerson, amount: string): Promise<void> {
  await person.press('button', say('home:transfer'));
  await person.write(say('transfer:amount'), amount);
  await person.press('button', say('transfer:submit'));
  await person.see(say('transfer:successTitle'));
  await person.press('button', say('common:ok'));
  await person.until(`document.querySelectorAll('dialog[open]').length`, 0);
}

async function withdraw(person: EnginePerson, amount: string): Promise<void> {
  await person.press('button', say('home:withdraw'));
  await person.write(say('withdraw:amount'), amount);
  await person.press('button', say('withdraw:submit'));
  await person.see(say('withdraw:paidTitle'));
  await person.press('button', say('common:ok'));
}

/** Spins once and sees the wheel stand still. */
async function spin(person: EnginePerson): Promise<void> {
  await person.engine.open(`${appUrl()}/user/spin`);
  await person.press('button', say('spinwheel:spin'), true);
  const wheelStatus = `document.querySelector('section[aria-labelledby=wheel-name] p[role=status]')?.textContent ?? ''`;
  const outcomes = [say('spinwheel:nothing'), say('spinwheel:won', { label: '' }).trim()];
  await person.until(`${JSON.stringify(outcomes)}.some((outcome) => (${wheelStatus}).includes(outcome))`, true);
}

/** Chooses a picture in the chat and sends it. */
async function sendPicture(person: EnginePerson): Promise<void> {
  await person.engine.open(`${appUrl()}/user/contact`);
  await person.press('button', say('chat:open'));
  await person.until(`Boolean(document.querySelector('dialog[open] input[type=file]'))`, true);
  await person.engine.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
    canvas.getContext('2d').fillRect(8, 8, 48, 48);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const chosen = new DataTransfer();
    chosen.items.add(new File([blob], 'picture.png', { type: 'image/png' }));
    const input = document.querySelector('dialog[open] input[type=file]');
    input.files = chosen.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await person.press('button', say('chat:attach.send_other', { count: 1 }));
  await person.until(
    `[...document.querySelectorAll('dialog[open] [role=log] img, dialog[open] li img')].some((image) => image.naturalWidth === 64)`,
    true,
  );
}

for (const [name, openEngine] of Object.entries(engines)) {
  test(`in ${name} a person signs up, deposits by QR, transfers, spins, withdraws, reads the statement and sends a picture in the chat`, async ({}, info) => {
    test.setTimeout(300_000);
    const [phone, accountNo] = [newPhone(), newAccountNo()];
    const person = new EnginePerson(await openEngine());
    try {
      await register(person, phone);
      await person.write(say('register:accountNo'), accountNo);
      await person.write(say('register:firstName'), 'ROBIN');
      await person.write(say('register:lastName'), 'SAMPLE');
      await person.press('button', say('register:submit'));
      await logIn(person, phone);
      await turnCarousel(person);
      await depositByQr(person, 500, accountNo);
      await openGame(person);
      await transfer(person, '100');
      await person.until(TOTAL, '500.00');
      await withdraw(person, '150');
      await person.until(TOTAL, '350.00');
      await spin(person);
      await person.engine.open(`${appUrl()}/user/statement`);
      await person.until(`(${MOVEMENTS}).slice(-3)`, ['−150.00', '−100.00', '+500.00']);
      await sendPicture(person);
    } catch (failure) {
      await writeFile(info.outputPath('screen.png'), await person.engine.screenshot());
      throw failure;
    } finally {
      await person.engine.close();
    }
  });
}
