import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Ledger } from '../../../src/ledger/index.ts';
import { type Certificate, newAuthority, selfSigned } from '../../harness/certificates.ts';
import { assertBooksAgree, creditOf, eventually, legStates, openGame, settled, transfer } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { type Break, SecureLine } from '../../harness/secure-line.ts';
import { startSystem, type System } from '../../harness/system.ts';

const DAY_MS = 86_400_000;
const FAILED = { message: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' };
const TRANSFER_IN = '/TransferIn';

type Player = TestMember & { pg: string };

describe('a provider whose certificate fails', { timeout: 300_000 }, () => {
  const authority = newAuthority();
  const good = authority.issue();
  const bad: Readonly<Record<string, Certificate>> = {
    'signed by itself': selfSigned(),
    'of an unknown authority': newAuthority('Another').issue(),
    'out of date': authority.issue({ from: new Date(Date.now() - 2 * DAY_MS), until: new Date(Date.now() - DAY_MS) }),
    'of another address': authority.issue({ address: '127.0.0.2' }),
  };
  const expired = bad['out of date'] as Certificate;
  const trusted = getCACertificates('default');
  const line = new SecureLine();
  let system: System;
  let ledger: Ledger;
  let member: Player;

  before(async () => {
    setDefaultCACertificates([...trusted, authority.cert]);
    let target = '';
    const door = await line.open(() => target, good);
    system = await startSystem({
      outside: (outside) => {
        const pg = outside.games['pg'];
        assert.ok(pg);
        target = pg.url;
        return {
          ...outside,
          games: { ...outside.games, pg: { ...pg, url: pg.url.replace(new URL(pg.url).origin, door) } },
        };
      },
    });
    ledger = ledgerOf(system);
    member = await newPlayer();
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
    line.close();
    setDefaultCACertificates(trusted);
  });

  async function newPlayer(): Promise<Player> {
    const registered = await registerMember(system);
    await fund(ledger, registered.id, '100.00');
    return { ...registered, pg: (await openGame(system, registered.token, 'pg')).username };
  }
  const send = ({ token }: Player, from: string, to: string) => transfer(system, token, { from, to, amount: 10 });
  const wallet = ({ id }: Player) => balanceOf(ledger, id, 'WALLET');

  for (const [what, certificate] of Object.entries(bad)) {
    test(`${what}: nothing was sent, the money is back immediately, and transfers work again after the repair [R-XFER-02]`, async () => {
      line.show(good);
      assert.equal((await send(member, 'WALLET', 'pg')).status, 200);
      line.show(certificate);
      for (const [from, to] of [
        ['WALLET', 'pg'],
        ['pg', 'WALLET'],
      ] as const) {
        const { status, body } = await send(member, from, to);
        assert.deepEqual([status, body], [502, FAILED]);
        assert.deepEqual(await wallet(member), { free: '90.00', held: '0.00' });
      }
      line.show(good);
      assert.equal((await send(member, 'pg', 'WALLET')).status, 200);
      await assertBooksAgree(system, ledger, member.id, { pg: member.pg });
    });
  }

  /** A transfer without an outcome: the certificate fails from then on. No inquiry before {@link growTired}. */
  async function leaveOpen(lost: Break['lost']): Promise<{ player: Player; reference: string }> {
    line.show(good);
    const player = await newPlayer();
    line.breakNext({ path: TRANSFER_IN, lost, next: expired });
    const { status, body } = await send(player, 'WALLET', 'pg');
    assert.equal(status, 202, JSON.stringify(body));
    const reference = body.reference as string;
    await change([reference], `next_ask_at = now() + interval '1 day'`, 0);
    return { player, reference };
  }

  /** As after an hour of failed inquiries: the back-off has reached five minutes. */
  const exhaustRetries = async (references: readonly string[]): Promise<void> => {
    await change(references, `asks = 20, sent_at = sent_at - interval '1 hour', next_ask_at = now()`, 0);
    await change(references, 'note = note', 20);
  };

  /** Changes open legs once each has more than that many inquiries and no lease. */
  async function change(references: readonly string[], what: string, asks: number): Promise<void> {
    for (const reference of references) {
      await eventually(
        `${reference} asked without an answer`,
        () =>
          system.database.query(
            `update transfer_leg set ${what} where state = 'UNKNOWN' and asks > $2 and leased_until < clock_timestamp()
                and transfer_id = (select id from transfer where reference = $1)`,
            [reference, asks],
          ),
        ({ rowCount }) => rowCount === 1,
      );
    }
  }

  test('what is unknown by then is settled soon after it is mended, however long it had no answer [R-XFER-04]', async () => {
    const applied = [await leaveOpen('the answer'), await leaveOpen('the answer')];
    const absent = [await leaveOpen('the request'), await leaveOpen('the request')];
    await exhaustRetries([...applied, ...absent].map(({ reference }) => reference));
    line.show(good);
    await settled(system);
    for (const [those, state, free, credit] of [
      [applied, 'DONE', '90.00', '10.00'],
      [absent, 'REVERSED', '100.00', '0.00'],
    ] as const) {
      for (const { player, reference } of those) {
        assert.deepEqual(await legStates(system, reference), [state]);
        assert.deepEqual(await wallet(player), { free, held: '0.00' });
        assert.equal(await creditOf(system, 'pg', player.pg), credit);
        await assertBooksAgree(system, ledger, player.id, { pg: player.pg });
      }
    }
  });
});
