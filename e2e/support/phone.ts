import type { BrowserContext, Page } from '@playwright/test';
import { outsideUrl, type Payer } from './outside.ts';
import { expect } from './test.ts';

/** The member's phone: gets their messages and pays from their bank, all by what is on its screen. */
export class Phone {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Takes the phone in hand, in a tab of its own. @param address where it is reached */
  static async open(context: BrowserContext, address = outsideUrl()): Promise<Phone> {
    const page = await context.newPage();
    await page.goto(address);
    return new Phone(page);
  }

  /** The number that messages to this phone go to. */
  async useNumber(number: string): Promise<void> {
    await this.page.getByRole('link', { name: 'ใส่เบอร์มือถือ' }).click();
    await this.page.getByLabel('ใส่เบอร์มือถือ').fill(number);
    await this.page.getByRole('button', { name: 'บันทึก' }).click();
    await expect(this.page.getByRole('heading', { name: 'ยังไม่มีข้อความ' })).toBeVisible();
  }

  /** The code in the message on the screen, which appears without a reload. */
  async readCode(): Promise<{ code: string; text: string }> {
    const message = this.page
      .getByRole('article')
      .filter({ has: this.page.getByRole('button') })
      .first();
    await expect(message).toBeVisible();
    const [code] = /\d{6}/.exec(await message.getByRole('button').innerText()) ?? [];
    if (!code) throw new Error('the message has no code to tap');
    return { code, text: await message.innerText() };
  }

  /** Opens the bank account that the phone pays from. @param bank the bank's name as the bank app writes it */
  async openAccount(bank: string, { accountNo, accountName }: Payer): Promise<void> {
    await this.#goHome();
    await this.page.getByRole('link', { name: 'ธนาคาร', exact: true }).click();
    await this.page.getByRole('radio', { name: bank }).click();
    await this.page.getByLabel('เลขที่บัญชี').fill(accountNo);
    await this.page.getByLabel('ชื่อบัญชี').fill(accountName);
    await this.page.getByRole('button', { name: 'เปิดบัญชี' }).click();
    await expect(this.page.getByText('1,000,000.00')).toBeVisible();
  }

  /** Scans a picture of a QR. @returns what the bank app asks to confirm */
  async scan(picture: Buffer): Promise<{ amount: string; reference: string }> {
    await this.page.getByRole('link', { name: 'สแกนจ่าย' }).click();
    const choosing = this.page.waitForEvent('filechooser');
    await this.page.getByRole('button', { name: 'เลือกรูป' }).click();
    await (await choosing).setFiles({ name: 'qr.png', mimeType: 'image/png', buffer: picture });
    await expect(this.page.getByRole('heading', { name: 'ตรวจสอบก่อนจ่าย' })).toBeVisible();
    const [amount = ''] = (await this.page.locator('.ask-sum').innerText()).split(/\s/);
    const reference = this.page.locator('dl > div').filter({ hasText: 'หมายเลขอ้างอิง 1' }).getByRole('definition');
    return { amount, reference: await reference.innerText() };
  }

  /** Pays what was scanned, up to the slip, and goes back to the account. */
  async pay(): Promise<void> {
    await this.page.getByRole('button', { name: 'ยืนยันจ่าย' }).click();
    await expect(this.page.getByRole('heading', { name: 'จ่ายเงินสำเร็จ' })).toBeVisible();
    await this.page.getByRole('link', { name: 'เสร็จสิ้น' }).click();
  }

  async #goHome(): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link').click();
    await expect(this.page.getByRole('link', { name: 'ธนาคาร', exact: true })).toBeVisible();
  }
}
