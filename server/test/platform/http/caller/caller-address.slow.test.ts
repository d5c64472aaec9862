import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { networkPrefix, parseIpAddress, parseNetworks } from '../../../../src/platform/http/caller-address.ts';
import { assertRefused } from '../../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../../harness/members.ts';
import { waitForSettingsReload } from '../../../harness/operator.ts';
import { startServerProcess } from '../../../harness/server-process.ts';
import { startSystem, type System } from '../../../harness/system.ts';

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system);
});
after(() => system.stop());

/** The address that the server stores for a login with this header. */
async function loggedAddressOf(forwardedFor: string): Promise<string | undefined> {
  const body = { username: member.phone, password: member.password };
  const reply = await system.api('POST /api/login', { body, headers: { 'x-forwarded-for': forwardedFor } });
  assert.equal(reply.status, 200, forwardedFor);
  const { rows } = await system.database.query<{ address: string }>(
    'select host(address) as address from member_session order by created_at desc, expires_at desc limit 1',
  );
  return rows[0]?.address;
}

test("an address with a port, brackets, a zone or spaces, or as mapped IPv6, is the caller's address", async () => {
  const addressForms: Record<string, string> = {
    '203.0.113.7:51234': '203.0.113.7',
    '[203.0.113.7]:51234': '203.0.113.7',
    '  203.0.113.8 ': '203.0.113.8',
    '[2001:db8::1]:443': '2001:db8::1',
    '[2001:DB8::2]': '2001:db8::2',
    '2001:0DB8:0:0:0:0:0:3': '2001:db8::3',
    'fe80::1%eth0': 'fe80::1',
    '[fe80::2%25eth0]:443': 'fe80::2',
    '::ffff:c000:0207': '192.0.2.7',
    '::FFFF:192.0.2.8': '192.0.2.8',
    '0:0:0:0:0:ffff:192.0.2.9': '192.0.2.9',
    '[::ffff:192.0.2.10]:51234': '192.0.2.10',
    '::ffff:192.0.2.11:51234': '192.0.2.11',
  };
  for (const [writtenAddress, address] of Object.entries(addressForms))
    assert.equal(await loggedAddressOf(writtenAddress), address, writtenAddress);
});

test('the caller is the last address that is not a trusted proxy; entries before it are ignored', async () => {
  const lists: Record<string, string> = {
    '198.51.100.1, 203.0.113.7:51234': '203.0.113.7',
    '127.0.0.1, 203.0.113.7': '203.0.113.7',
    'unknown, 203.0.113.7': '203.0.113.7',
    '203.0.113.9:4711, 127.0.0.1:8080, [::ffff:7f00:1]:8080': '203.0.113.9',
    ', 203.0.113.7 , ,': '203.0.113.7',
    [`${'198.51.100.1, '.repeat(900)}203.0.113.7`]: '203.0.113.7',
  };
  for (const [writtenAddress, address] of Object.entries(lists))
    assert.equal(await loggedAddressOf(writtenAddress), address, writtenAddress);
});

test('a caller without an address gets the address of the nearest proxy', async () => {
  const unreadableAddresses = ['unknown', '_hidden', '"203.0.113.7"', 'x'.repeat(8_000), '203.0.113.256', ','];
  for (const writtenAddress of unreadableAddresses)
    assert.match((await loggedAddressOf(writtenAddress)) ?? '', /^127\.0\.0\.1$|^::1$/, writtenAddress);
  assert.equal(await loggedAddressOf('198.51.100.1, _hidden, 127.0.0.9'), '127.0.0.9');
});

test('a denied IPv4 network stays denied with a port and as mapped IPv6', async () => {
  await system.database.query(`insert into operator_data_address_rule values ('198.51.100.0/24', 'deny')`);
  await waitForSettingsReload();
  const body = { username: member.phone, password: member.password };
  for (const writtenAddress of ['198.51.100.9:1', '::ffff:c633:6409', '[::FFFF:198.51.100.9]:1']) {
    const headers = { 'x-forwarded-for': writtenAddress };
    assertRefused(await system.api('POST /api/login', { body, headers }), 'INVALID_IP');
  }
});

test('one caller shares a rate limit in every notation of the address and in the whole IPv6 /64', async () => {
  const limitedSystem = await startSystem({ simulators: false, requestsPerMinute: 3 });
  const requestFrom = (from: string) =>
    limitedSystem.api('GET /api/lookup/info', { headers: { 'x-forwarded-for': from } });
  try {
    for (const caller of [
      ['203.0.113.7:1', '203.0.113.7', '::ffff:cb00:7107', '[::ffff:203.0.113.7]:2'],
      ['2001:db8:1:2::1', '[2001:DB8:1:2:3:4:5:6]:443', '2001:0db8:0001:0002::9', '2001:db8:1:2::'],
    ]) {
      const [first = '', second = '', third = '', fourthAddress = ''] = caller;
      for (const from of [first, second, third]) assert.equal((await requestFrom(from)).status, 200, from);
      assertRefused(await requestFrom(fourthAddress), 'REQUEST_LIMIT');
    }
    assert.equal((await requestFrom('2001:db8:1:3::1')).status, 200, 'another /64');
    assert.equal((await requestFrom('203.0.113.8:1')).status, 200, 'another address');
  } finally {
    await limitedSystem.stop();
  }
});

test('TRUSTED_PROXIES accepts addresses in every notation', async () => {
  const serverBehindProxy = await startServerProcess(system, 'warn', undefined, {
    TRUSTED_PROXIES: '[::FFFF:7f00:0]/104, [2001:DB8::5]:8080 ,10.0.0.0/255.0.0.0,Loopback',
    REQUESTS_PER_MINUTE: '1',
  });
  try {
    const requestFrom = (from: string) =>
      fetch(`${serverBehindProxy.url}/api/lookup/info`, { headers: { 'x-forwarded-for': from } });
    assert.equal((await requestFrom('203.0.113.7, [2001:db8::5]:1, 10.1.2.3:4')).status, 200);
    assert.equal((await requestFrom('203.0.113.8, 2001:db8::5, ::ffff:10.1.2.3')).status, 200);
    assert.equal((await requestFrom('203.0.113.7')).status, 429);
  } finally {
    await serverBehindProxy.stop();
  }
});

test('a list of networks is parsed completely or refused', () => {
  const isIn = parseNetworks('10.0.0.0/8, ::ffff:192.0.2.0/120, fd00::/8, 198.51.100.0/255.255.255.0');
  for (const trustedAddress of ['10.1.1.1:80', '::ffff:a01:101', '192.0.2.9', 'FD12::1', '198.51.100.7'])
    assert.equal(isIn?.(trustedAddress), true, trustedAddress);
  for (const outside of ['11.1.1.1', '192.0.3.1', 'fe80::1', '198.51.101.7', 'unknown', '', undefined])
    assert.equal(isIn?.(outside), false, outside);
  for (const invalidEntry of [
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    'fd00::/129',
    '10.0.0.0/255.0.255.0',
    'proxy',
    '1.2.3.4/8/8',
  ])
    assert.equal(parseNetworks(invalidEntry), undefined, invalidEntry);
});

test('text that is not an address has no parsed caller address', () => {
  for (const invalidAddress of [
    undefined,
    '',
    '[',
    '[]',
    ':',
    '1.2.3',
    '1.2.3.4.5',
    '[1.2.3.4',
    '::1::',
    `${'['.repeat(99)}`,
  ])
    assert.equal(parseIpAddress(invalidAddress), undefined, invalidAddress);
  assert.equal(parseIpAddress('1:2:3:4:5:6:7:8:443'), '1:2:3:4:5:6:7:8');
  assert.equal(networkPrefix('::1'), '0:0:0:0::/64');
});
