import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Ledger } from '../../../src/ledger/index.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { type Certificate, newCertificateAuthority, selfSignedCertificate } from '../../harness/certificates.ts';
import {
  assertBooksAgree,
  readProviderCredit,
  waitUntilResult,
  readLegStates,
  openGame,
  untilSettled,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { type ConnectionBreak, TlsProxy } from '../../harness/tls-proxy.ts';

const DAY_MS = 86_400_000;
const TRANSFER_IN_PATH = '/TransferIn';

type PlayingMember = TestMember & { pg: string };

describe('a provider whose certificate fails', { timeout: 300_000 }, () => {
  const authority = newCertificateAuthority();
  const validCertificate = authority.issue();
  const invalidCertificates: Readonly<Record<string, Certificate>> = {
    'signed by itself': selfSignedCertificate(),
    'of an unknown authority': newCertificateAuthority('Another').issue(),
    'out of date': authority.issue({ from: new Date(Date.now() - 2 * DAY_MS), until: new Date(Date.now() - DAY_MS) }),
    'of another address': authority.issue({ address: '127.0.0.2' }),
  };
  const expiredCertificate = invalidCertificates['out of date'] as Certificate;
  const trustedCertificates = getCACertificates('default');
  const tlsProxy = new TlsProxy();
  let system: System;
  let ledger: Ledger;
  let member: PlayingMember;

  before(async () => {
    setDefaultCACertificates([...trustedCertificates, authority.cert]);
    let target = '';
    const proxyAddress = await tlsProxy.open(() => target, validCertificate);
    system = await startSystem({
      outside: (outside) => {
        const pg = outside.games['pg'];
        assert.ok(pg);
        target = pg.url;
        return {
          ...outside,
          games: { ...outside.games, pg: { ...pg, url: pg.url.replace(new URL(pg.url).origin, proxyAddress) } },
        };
      },
    });
    ledger = createTestLedger(system);
    member = await newPlayer();
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
    tlsProxy.close();
    setDefaultCACertificates(trustedCertificates);
  });

  async function newPlayer(): Promise<PlayingMember> {
    const registeredMember = await registerMember(system);
    await fundWallet(ledger, registeredMember.id, '100.00');
    return { ...registeredMember, pg: (await openGame(system, registeredMember.token, 'pg')).username };
  }
  const sendTransfer = ({ token }: PlayingMember, from: string, to: string) =>
    transfer(system, token, { from, to, amount: 10 });
  const readWalletBalance = ({ id }: PlayingMember) => readBalance(ledger, id, 'WALLET');

  for (const [certificateFault, certificate] of Object.entries(invalidCertificates)) {
    test(`${certificateFault}: no call is sent, the money is returned immediately, and transfers work after the repair [R-XFER-02]`, async () => {
      tlsProxy.useCertificate(validCertificate);
      assert.equal((await sendTransfer(member, 'WALLET', 'pg')).status, 200);
      tlsProxy.useCertificate(certificate);
      for (const [from, to] of [
        ['WALLET', 'pg'],
        ['pg', 'WALLET'],
      ] as const) {
        assertRefused(await sendTransfer(member, from, to), 'TRANSFER_FAIL', 'PROVIDER_UNAVAILABLE');
        assert.deepEqual(await readWalletBalance(member), { free: '90.00', held: '0.00' });
      }
      tlsProxy.useCertificate(validCertificate);
      assert.equal((await sendTransfer(member, 'pg', 'WALLET')).status, 200);
      await assertBooksAgree(system, ledger, member.id, { pg: member.pg });
    });
  }

  /** A transfer without an outcome: the certificate fails from then on. No inquiry before {@link useUpRetries}. */
  async function loseConnection(
    lostMessage: ConnectionBreak['lostMessage'],
  ): Promise<{ player: PlayingMember; reference: string }> {
    tlsProxy.useCertificate(validCertificate);
    const player = await newPlayer();
    tlsProxy.breakNextCall({ path: TRANSFER_IN_PATH, lostMessage, nextCertificate: expiredCertificate });
    const { status, body } = await sendTransfer(player, 'WALLET', 'pg');
    assert.equal(status, 202, JSON.stringify(body));
    const reference = body.reference as string;
    await changeLegs([reference], `next_inquiry_at = now() + interval '1 day'`, 0);
    return { player, reference };
  }

  /** Simulates an hour of failed inquiries: the back-off has reached five minutes. */
  const useUpRetries = async (references: readonly string[]): Promise<void> => {
    await changeLegs(references, `inquiries = 20, sent_at = sent_at - interval '1 hour', next_inquiry_at = now()`, 0);
    await changeLegs(references, 'note = note', 20);
  };

  /** Changes open legs once each has more than this many inquiries and no lease. */
  async function changeLegs(references: readonly string[], description: string, inquiryCount: number): Promise<void> {
    for (const reference of references) {
      await waitUntilResult(
        `${reference} asked without an answer`,
        () =>
          system.database.query(
            `update transfer_leg set ${description} where state = 'UNKNOWN' and inquiries > $2 and leased_until < clock_timestamp()
                and transfer_id = (select id from transfer where reference = $1)`,
            [reference, inquiryCount],
          ),
        ({ rowCount }) => rowCount === 1,
      );
    }
  }

  test('transfers unknown since a certificate fault are settled soon after its repair, however long it lasted [R-XFER-04]', async () => {
    const appliedTransfers = [await loseConnection('the answer'), await loseConnection('the answer')];
    const absentTransfers = [await loseConnection('the request'), await loseConnection('the request')];
    await useUpRetries([...appliedTransfers, ...absentTransfers].map(({ reference }) => reference));
    tlsProxy.useCertificate(validCertificate);
    await untilSettled(system);
    for (const [transferGroup, state, freeAmount, credit] of [
      [appliedTransfers, 'DONE', '90.00', '10.00'],
      [absentTransfers, 'REVERSED', '100.00', '0.00'],
    ] as const) {
      for (const { player, reference } of transferGroup) {
        assert.deepEqual(await readLegStates(system, reference), [state]);
        assert.deepEqual(await readWalletBalance(player), { free: freeAmount, held: '0.00' });
        assert.equal(await readProviderCredit(system, 'pg', player.pg), credit);
        await assertBooksAgree(system, ledger, player.id, { pg: player.pg });
      }
    }
  });
});
