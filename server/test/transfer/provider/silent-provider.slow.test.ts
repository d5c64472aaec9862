import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  eventually,
  findOut,
  legStates,
  misbehave,
  openGame,
  providerOf,
  settled,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fund, ledgerOf } from '../../harness/money.ts';
import { lineTo, ProviderLine } from '../../harness/provider-line.ts';
import { startSystem, type System } from '../../harness/system.ts';

const MEMBERS = 5;
/** Games of the silent provider. */
const SILENT = ['pg', 'canal', 'jewels'] as const;
/** Longer than this test. */
const TIMEOUT_MS = 300_000;

type Player = TestMember & { names: Record<string, string> };

describe('a provider that leaves every question without an answer', () => {
  const line = new ProviderLine();
  let system: System;
  let ledger: Ledger;
  const players: Player[] = [];
  /** Of transfers that only the silent provider can resolve. */
  const references: string[] = [];
  before(async () => {
    const toLine = await lineTo('pg', line);
    system = await startSystem({
      outside: (config) => {
        const { games, ...outside } = toLine(config);
        return { ...outside, games: { ...games, pg: { ...games['pg'], timeoutMs: TIMEOUT_MS } } } as typeof config;
      },
    });
    ledger = ledgerOf(system);
    for (let count = 0; count < MEMBERS; count += 1) {
      const member = await registerMember(system);
      const names: Record<string, string> = {};
      for (const code of [...SILENT, 'naga']) names[code] = (await openGame(system, member.token, code)).username;
      await fund(ledger, member.id, '100.00');
      players.push({ ...member, names });
    }
    line.mood = 'leave checks without an answer';
    for (const { token } of players) for (const code of SILENT) references.push(await leaveOpen(token, code));
  });
  after(async () => {
    line.mood = 'pass';
    line.breakOff();
    await ledger?.close();
    await system?.stop();
    await line.cut();
  });

  /** The provider executes it, with an unreadable reply. */
  async function leaveOpen(token: string, code: string): Promise<string> {
    const isSilent = providerOf(code) === 'pg';
    await misbehave(system, code, { fault: 'garbage', call: isSilent ? 'TransferIn' : 'in' });
    const { status, body } = await transfer(system, token, { from: 'WALLET', to: code, amount: 10 });
    // An inquiry may be answered before the reply is sent.
    assert.ok(status === 202 || (status === 200 && !isSilent), JSON.stringify(body));
    return body.reference as string;
  }

  const ended = (reference: string) =>
    eventually(
      reference,
      () => legStates(system, reference),
      (states) => states.every((state) => state === 'DONE'),
    );

  const open = async () =>
    (
      await system.database.query<{ open: number }>(
        `select count(*)::int as open from transfer_leg where provider = 'pg' and finished_at is null`,
      )
    ).rows[0]?.open;

  test('delays no transfer of another provider, nor what an operator has found out [R-XFER-04]', async () => {
    assert.equal(await open(), references.length);
    const [{ token }] = players as [Player];
    await ended(await leaveOpen(token, 'naga'));
    const last = references.at(-1) ?? '';
    await system.database.query(
      `update transfer_leg set state = 'MANUAL' where provider_reference like $1 || '-%' and state = 'UNKNOWN'`,
      [last],
    );
    await findOut(system, last, true);
    await ended(last);
    assert.equal(await open(), references.length - 1, 'the others have no answer');
  });

  test('is asked about everything once it answers again [R-XFER-04]', async () => {
    line.mood = 'pass';
    line.breakOff();
    await settled(system);
    for (const reference of references) assert.deepEqual(await legStates(system, reference), ['DONE']);
    for (const { id, names } of players) await assertBooksAgree(system, ledger, id, names);
  });
});
