import { expectOwnWords } from '../../support/foreign-words.ts';
import { newAccountNo, newPhone } from '../../support/member.ts';
import { Phone } from '../../support/phone.ts';
import { pictures } from '../../support/pictures.ts';
import { expect, MOVING, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import * as walk from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const GAME = 'PG SLOT';

test.use({ ...MOVING, ...WITH_SERVICE_WORKER });

const visitor: Readonly<Record<'la' | 'en', Pick<walk.Person, 'name' | 'firstName' | 'lastName'>>> = {
  la: { name: 'ບຸນມີ ທົດລອງ', firstName: 'bounmy', lastName: 'thotlong' },
  en: { name: 'Robin Sample', firstName: 'robin', lastName: 'sample' },
};

for (const language of ['la', 'en'] as const) {
  test(`a person who chooses ${language} first goes from signing up to the game and reads nothing else [R-I18N-02]`, async ({
    page,
    context,
  }) => {
    test.setTimeout(180_000);
    const tell = speaking(language);
    const one = { ...visitor[language], phone: newPhone(), password: 'Basket-of-gold-9', accountNo: newAccountNo() };
    const takePicture = pictures(page);
    const onScreen = async (name: string): Promise<void> => {
      await takePicture(name);
      await expectOwnWords(page, language, [one.name], name);
    };
    const phone = await Phone.open(context);
    await page.bringToFront();
    await page.goto('/login');
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(tell('login:title'));
    await walk.register(page, tell, phone, one, onScreen);
    await walk.logIn(page, tell, one, onScreen);

    const sheet = await walk.createQr(page, tell, 50, onScreen);
    await phone.openAccount('ไทยพาณิชย์', { bankCode: 'SCB', accountNo: one.accountNo, accountName: 'ROBIN SAMPLE' });
    await phone.scan(await page.screenshot({ animations: 'disabled' }));
    await phone.pay();
    await walk.seeArrival(sheet, tell, 50, onScreen);
    await walk.openGameAccount(page, tell, GAME, onScreen);
    await walk.moveIn(page, tell, '20.5', onScreen);
    await expect(walk.card(page, GAME)).toContainText('฿20.50');
    await onScreen('home');

    await page.getByRole('link', { name: tell('common:menu.statement') }).click();
    await expect(page.getByText('−20.50')).toBeVisible();
    await onScreen('statement');
    await page.goto('/user/profile');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(tell('profile:title'));
    await takePicture('profile');
    // The bank has its Thai name in every language here.
    await expectOwnWords(page, language, [one.name, 'ธนาคารไทยพาณิชย์'], 'profile');
    await page.getByRole('link', { name: tell('common:menu.contact') }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(tell('contact:heading'));
    await expect(page.getByRole('figure')).toBeVisible();
    await onScreen('contact');
    await walk.button(page, tell('common:menu.conditions')).click();
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
    await onScreen('conditions');
  });
}
