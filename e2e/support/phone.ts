import type { BrowserContext, Page } from '@playwright/test';
import { simulatorsUrl, type Payer } from './simulators.ts';
import { expect } from './test.ts';

/** The member's simulated phone: receives messages and pays from the bank, by its screen. */
export class SmsPhone {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the phone in its own tab. @param address address of the simulators */
  static async open(context: BrowserContext, address = simulatorsUrl()): Promise<SmsPhone> {
    const page = await context.newPage();
    await page.goto(address);
    return new SmsPhone(page);
  }

  /** Sets the phone's number. */
  async setNumber(number: string): Promise<void> {
    await this.page.getByRole('link', { name: 'ใส่เบอร์มือถือ' }).click();
    await this.page.getByLabel('ใส่เบอร์มือถือ').fill(number);
    await this.page.getByRole('button', { name: 'บันทึก' }).click();
    await expect(this.page.getByRole('heading', { name: 'ยังไม่มีข้อความ' })).toBeVisible();
  }

  /** Reads the code from the displayed message, which appears without a reload. */
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

  /** Opens the bank account that pays. @param bank the bank's name in the bank app */
  async openAccount(bank: string, { accountNo, accountName }: Payer): Promise<void> {
    await this.#goHome();
    await this.page.getByRole('link', { name: 'ธนาคาร', exact: true }).click();
    await this.page.getByRole('radio', { name: bank }).click();
    await this.page.getByLabel('เลขที่บัญชี').fill(accountNo);
    await this.page.getByLabel('ชื่อบัญชี').fill(accountName);
    await this.page.getByRole('button', { name: 'เปิดบัญชี' }).click();
    await expect(this.page.getByText('1,000,000.00')).toBeVisible();
  }

  /** Scans an image of a QR. @returns amount and reference, as displayed for confirmation */
  async scanQr(image: Buffer): Promise<{ amount: string; reference: string }> {
    await this.page.getByRole('link', { name: 'สแกนจ่าย' }).click();
    const fileChooser = this.page.waitForEvent('filechooser');
    await this.page.getByRole('button', { name: 'เลือกรูป' }).click();
    await (await fileChooser).setFiles({ name: 'qr.png', mimeType: 'image/png', buffer: image });
    await expect(this.page.getByRole('heading', { name: 'ตรวจสอบก่อนจ่าย' })).toBeVisible();
    const [amount = ''] = (await this.page.locator('.ask-sum').innerText()).split(/\s/);
    const reference = this.page.locator('dl > div').filter({ hasText: 'หมายเลขอ้างอิง 1' }).getByRole('definition');
    return { amount, reference: await reference.innerText() };
  }

  /** Pays the scanned QR and returns to the account. */
  async payScannedQr(): Promise<void> {
    await this.page.getByRole('button', { name: 'ยืนยันจ่าย' }).click();
    await expect(this.page.getByRole('heading', { name: 'จ่ายเงินสำเร็จ' })).toBeVisible();
    await this.page.getByRole('link', { name: 'เสร็จสิ้น' }).click();
  }

  async #goHome(): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link').click();
    await expect(this.page.getByRole('link', { name: 'ธนาคาร', exact: true })).toBeVisible();
  }
}
