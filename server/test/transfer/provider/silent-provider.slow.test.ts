import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  waitUntilResult,
  settleManually,
  readLegStates,
  failProvider,
  openGame,
  providerOf,
  untilSettled,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { routeProviderThroughProxy, ProviderProxy } from '../../harness/provider-proxy.ts';
import { startSystem, type System } from '../../harness/system.ts';

const MEMBER_COUNT = 5;
/** Games of the silent provider. */
const SILENT_GAMES = ['pg', 'canal', 'jewels'] as const;
/** Longer than this test. */
const TIMEOUT_MS = 300_000;

type PlayingMember = TestMember & { names: Record<string, string> };

describe('a provider without replies to inquiries', () => {
  const providerProxy = new ProviderProxy();
  let system: System;
  let ledger: Ledger;
  const players: PlayingMember[] = [];
  /** Transfers that only the silent provider can resolve. */
  const references: string[] = [];
  before(async () => {
    const routeToProxy = await routeProviderThroughProxy('pg', providerProxy);
    system = await startSystem({
      outside: (config) => {
        const { games, ...outside } = routeToProxy(config);
        return {
          ...outside,
          games: { ...games, pg: { ...games['pg'], timeoutMs: TIMEOUT_MS } },
        } as unknown as typeof config;
      },
    });
    ledger = createTestLedger(system);
    for (let count = 0; count < MEMBER_COUNT; count += 1) {
      const member = await registerMember(system);
      const names: Record<string, string> = {};
      for (const code of [...SILENT_GAMES, 'naga']) names[code] = (await openGame(system, member.token, code)).username;
      await fundWallet(ledger, member.id, '100.00');
      players.push({ ...member, names });
    }
    providerProxy.proxyMode = 'leave checks without an answer';
    for (const { token } of players) for (const code of SILENT_GAMES) references.push(await leaveOpen(token, code));
  });
  after(async () => {
    providerProxy.proxyMode = 'pass';
    providerProxy.breakConnections();
    await ledger?.close();
    await system?.stop();
    await providerProxy.cutConnections();
  });

  /** The provider executes the transfer, with an unreadable reply. */
  async function leaveOpen(token: string, code: string): Promise<string> {
    const isSilent = providerOf(code) === 'pg';
    await failProvider(system, code, { fault: 'garbage', call: isSilent ? 'TransferIn' : 'in' });
    const { status, body } = await transfer(system, token, { from: 'WALLET', to: code, amount: 10 });
    // An inquiry may be answered before the reply is sent.
    assert.ok(status === 202 || (status === 200 && !isSilent), JSON.stringify(body));
    return body.reference as string;
  }

  const waitForEnd = (reference: string) =>
    waitUntilResult(
      reference,
      () => readLegStates(system, reference),
      (states) => states.every((state) => state === 'DONE'),
    );

  const readOpenLegs = async () =>
    (
      await system.database.query<{ open: number }>(
        `select count(*)::int as open from transfer_leg where provider = 'pg' and finished_at is null`,
      )
    ).rows[0]?.open;

  test("a silent provider delays neither transfers of other providers nor an operator's settlement [R-XFER-04]", async () => {
    assert.equal(await readOpenLegs(), references.length);
    const [{ token }] = players as [PlayingMember];
    await waitForEnd(await leaveOpen(token, 'naga'));
    const last = references.at(-1) ?? '';
    await system.database.query(
      `update transfer_leg set state = 'MANUAL' where provider_reference like $1 || '-%' and state = 'UNKNOWN'`,
      [last],
    );
    await settleManually(system, last, true);
    await waitForEnd(last);
    assert.equal(await readOpenLegs(), references.length - 1, 'the others have no answer');
  });

  test('a provider that replies again is inquired about every open transfer [R-XFER-04]', async () => {
    providerProxy.proxyMode = 'pass';
    providerProxy.breakConnections();
    await untilSettled(system);
    for (const reference of references) assert.deepEqual(await readLegStates(system, reference), ['DONE']);
    for (const { id, names } of players) await assertBooksAgree(system, ledger, id, names);
  });
});
