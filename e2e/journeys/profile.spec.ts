import { api } from '../support/member.ts';
import { expect, test } from '../support/test.ts';

test.describe('profile', () => {
  test('shows who the member is and their bank account, the number as 3-3-rest [R-PROF-01]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    const main = memberPage.getByRole('main');
    await expect(main.getByText(member.name)).toBeVisible();
    await expect(main.getByText(member.id)).toBeVisible();
    await expect(main.getByText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/)).toBeVisible();
    const username = main.getByLabel('ชื่อเข้าสู่ระบบ');
    await expect(username).toHaveValue(member.phone);
    await expect(username).toHaveAttribute('readonly', '');
    await expect(main.getByText('SOMYING THOTSOP')).toBeVisible();
    await expect(main.getByText('ธนาคารไทยพาณิชย์')).toBeVisible();
    const digits = member.bankAccountNo;
    await expect(main.getByText(`${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`)).toBeVisible();
  });

  test('changing the password: silent when empty, told when they differ or the old is wrong, then saved [R-PROF-02]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    let sent = 0;
    memberPage.on('request', (request) => (sent += request.url().endsWith('/changepwd') ? 1 : 0));
    await memberPage.getByRole('button', { name: 'เปลี่ยนรหัสผ่าน' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'เปลี่ยนรหัสผ่าน' });
    const save = dialog.getByRole('button', { name: 'บันทึก' });
    await save.click();
    await expect(dialog.getByRole('alert')).toHaveCount(0);
    await dialog.getByLabel('รหัสผ่านเดิม').fill('not-the-old-one-1');
    await dialog.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('Another-basket-7');
    await dialog.getByLabel('ยืนยันรหัสผ่านใหม่').fill('Another-basket-8');
    await save.click();
    await expect(dialog.getByRole('alert')).toHaveText('รหัสผ่านไม่ตรงกัน');
    expect(sent).toBe(0);
    await dialog.getByLabel('ยืนยันรหัสผ่านใหม่').fill('Another-basket-7');
    await save.click();
    await expect(dialog.getByRole('alert')).toContainText('รหัสผ่าน');
    expect(sent).toBe(1);
    await dialog.getByLabel('รหัสผ่านเดิม').fill(member.password);
    await save.click();
    await expect(dialog).toBeHidden();
    await expect(memberPage.getByText('เปลี่ยนรหัสผ่านแล้ว')).toBeVisible();
    const again = await api('POST', '/api/login', { body: { username: member.phone, password: 'Another-basket-7' } });
    expect(again.status).toBe(200);
  });

  test('cancel closes the password dialog and gives focus back [R-PROF-02] [R-ROUTE-12]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    const lock = memberPage.getByRole('button', { name: 'เปลี่ยนรหัสผ่าน' });
    await lock.click();
    await memberPage.getByRole('dialog').getByRole('button', { name: 'ยกเลิก' }).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await expect(lock).toBeFocused();
  });
});
