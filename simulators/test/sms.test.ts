import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, outside, until } from './harness.ts';

type SmsReply = {
  phone_number_list: { number: string }[];
  bad_phone_number_list: object[];
  error?: { code: number; name: string };
};

function sendSms(
  address: string,
  fields: Record<string, string>,
  { secret = 'sms-secret', key }: { secret?: string; key?: string } = {},
) {
  const authorization = `Basic ${Buffer.from(`sms-key:${secret}`).toString('base64')}`;
  const body = new URLSearchParams({
    msisdn: '0812340001',
    message: 'OTP 482913 (Ref: QWXZ)',
    sender: 'KRAPAO',
    ...fields,
  });
  return ask<SmsReply>(address, 'POST', '/sms/sms', body, {
    authorization,
    ...(key !== undefined && { 'idempotency-key': key }),
  });
}

type PhoneMessages = { text: string; code: string | null; ref: string | null }[];

test('an SMS reaches the phone with its code and reference, newest first', async (t) => {
  const { address } = await outside(t);
  assert.equal((await sendSms(address, {})).status, 201);
  await sendSms(address, { msisdn: '66812340001', message: 'รหัส OTP 000111 รหัสอ้างอิง AB12 ใช้ได้ 5 นาที' });
  const { body } = await ask<PhoneMessages>(address, 'GET', '/phone/messages?to=%2B66812340001');
  assert.deepEqual(
    body.map(({ code, ref }) => [code, ref]),
    [
      ['000111', 'AB12'],
      ['482913', 'QWXZ'],
    ],
  );
  assert.deepEqual((await ask<PhoneMessages>(address, 'GET', '/phone/messages?to=0812340002')).body, []);
});

test('the simulated SMS gateway refuses wrong credentials, numbers, senders and texts', async (t) => {
  const { address } = await outside(t);
  assert.deepEqual(
    [
      (await sendSms(address, {}, { secret: 'no' })).status,
      (await sendSms(address, {}, { secret: 'no' })).body.error?.code,
    ],
    [401, 101],
  );
  assert.equal((await sendSms(address, { msisdn: '0212345678' })).body.error?.name, 'ERROR_MSISDN_INVALID');
  assert.equal((await sendSms(address, { message: '' })).body.error?.code, 103);
  assert.equal((await sendSms(address, { sender: 'OTHER' })).body.error?.code, 104);
  const mixedReply = (await sendSms(address, { msisdn: '0812340001,12,+8562012345678' })).body;
  assert.deepEqual(
    [mixedReply.phone_number_list.map(({ number }) => number), mixedReply.bad_phone_number_list.length],
    [['66812340001', '8562012345678'], 1],
  );
});

test('a repeated key of an SMS gets the same reply and is delivered once, unless the first call was refused', async (t) => {
  const { address } = await outside(t);
  const [refused, first, repeated] = [
    await sendSms(address, { sender: 'OTHER' }, { key: 'message-1' }),
    await sendSms(address, {}, { key: 'message-1' }),
    await sendSms(address, {}, { key: 'message-1' }),
  ];
  assert.deepEqual([refused.status, first.status, repeated.status], [400, 201, 201]);
  assert.deepEqual(repeated.body, first.body);
  await sendSms(address, {}, { key: 'message-2' });
  assert.equal((await ask<PhoneMessages>(address, 'GET', '/phone/messages?to=0812340001')).body.length, 2);
});

test("the SMS gateway's remaining credit is shown only with the right credentials, and no message is sent", async (t) => {
  const { address } = await outside(t);
  const readCredit = (secret: string) =>
    ask<{ remaining_credit?: object; error?: { code: number } }>(address, 'GET', '/sms/credit', undefined, {
      authorization: `Basic ${Buffer.from(`sms-key:${secret}`).toString('base64')}`,
    });
  assert.deepEqual((await readCredit('sms-secret')).body.remaining_credit, { standard: 10_000, corporate: 0 });
  const refused = await readCredit('no');
  assert.deepEqual([refused.status, refused.body.error?.code], [401, 101]);
});

test('a phone page that is open receives a new SMS immediately', async (t) => {
  const { address } = await outside(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const response = await fetch(`${address}/phone/stream?to=0812340001`, { signal: stop.signal });
  let receivedText = '';
  void (async () => {
    for await (const chunk of response.body ?? []) receivedText += Buffer.from(chunk).toString('utf8');
  })().catch(() => {});
  await sendSms(address, {});
  await until(() => receivedText.includes('482913'), 'the event comes');
  assert.match(receivedText, /^event: message$/m);
});
