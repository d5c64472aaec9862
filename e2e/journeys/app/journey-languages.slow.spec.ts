import { expectOnlyLanguage } from '../../support/foreign-text.ts';
import { newAccountNo, newPhone } from '../../support/member.ts';
import { SmsPhone } from '../../support/phone.ts';
import { saveScreenshots } from '../../support/screenshots.ts';
import { expect, WITH_MOTION, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import * as walk from '../../support/user-actions.ts';

const GAME_NAME = 'PG SLOT';

test.use({ ...WITH_MOTION, ...WITH_SERVICE_WORKER });

const visitor: Readonly<Record<'la' | 'en', Pick<walk.UserProfile, 'name' | 'firstName' | 'lastName'>>> = {
  la: { name: 'ບຸນມີ ທົດລອງ', firstName: 'bounmy', lastName: 'thotlong' },
  en: { name: 'Robin Sample', firstName: 'robin', lastName: 'sample' },
};

for (const language of ['la', 'en'] as const) {
  test(`a new member who chooses ${language} first sees no other language from registration to the game [R-I18N-02]`, async ({
    page,
    context,
  }) => {
    test.setTimeout(180_000);
    const translateTo = translatorFor(language);
    const user = { ...visitor[language], phone: newPhone(), password: 'Basket-of-gold-9', accountNo: newAccountNo() };
    const takeScreenshot = saveScreenshots(page);
    const onScreen = async (name: string): Promise<void> => {
      await takeScreenshot(name);
      await expectOnlyLanguage(page, language, [user.name], name);
    };
    const phone = await SmsPhone.open(context);
    await page.bringToFront();
    await page.goto('/login');
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translateTo('login:title'));
    await walk.registerUser(page, translateTo, phone, user, onScreen);
    await walk.logInUser(page, translateTo, user, onScreen);

    const sheet = await walk.createQr(page, translateTo, 50, onScreen);
    await phone.openAccount('ไทยพาณิชย์', { bankCode: 'SCB', accountNo: user.accountNo, accountName: 'ROBIN SAMPLE' });
    await phone.scanQr(await page.screenshot({ animations: 'disabled' }));
    await phone.payScannedQr();
    await walk.expectDepositArrival(sheet, translateTo, 50, onScreen);
    await walk.openGameAccountFromCard(page, translateTo, GAME_NAME, onScreen);
    await walk.transferToGame(page, translateTo, '20.5', onScreen);
    await expect(walk.gameCard(page, GAME_NAME)).toContainText('฿20.50');
    await onScreen('home');

    await page.getByRole('link', { name: translateTo('common:menu.statement') }).click();
    await expect(page.getByText('−20.50')).toBeVisible();
    await onScreen('statement');
    await page.goto('/user/profile');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translateTo('profile:title'));
    await takeScreenshot('profile');
    // The bank has its Thai name in every language.
    await expectOnlyLanguage(page, language, [user.name, 'ธนาคารไทยพาณิชย์'], 'profile');
    await page.getByRole('link', { name: translateTo('common:menu.contact') }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translateTo('contact:heading'));
    await expect(page.getByRole('figure')).toBeVisible();
    await onScreen('contact');
    await walk.buttonByName(page, translateTo('common:menu.conditions')).click();
    await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
    await onScreen('conditions');
  });
}
