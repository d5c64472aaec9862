import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { aWhile, until } from '../deposit/qr-world.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setLimits, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { pictureOf, sendSlip, slipOf, slipsOf, slipText, upload } from './slip-world.ts';

let system: System;
let member: TestMember;
let picture: Buffer;

before(async () => {
  system = await startSystem();
  member = await registerMember(system);
  picture = await pictureOf('just a text');
  await setLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await setSettings(system, { slip: { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 } });
});
after(() => system.stop());

test('probe', async () => {
  const slip = await sendSlip(system, member.token, picture);
  assert.equal(slip.status, 'PROCESSING');
  const ended = await until(
    () => slipOf(system, member.token, slip.reference),
    (s) => s.status !== 'PROCESSING',
    'ended',
  );
  console.log(ended);
  const { body } = await system.api('GET /api/statement/slip/reference/{reference}', {
    token: member.token,
    params: { reference: slip.reference },
  });
  const shown = await fetch(body.url);
  console.log(shown.status, [...shown.headers], (await shown.arrayBuffer()).byteLength);
});
