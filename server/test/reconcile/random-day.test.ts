import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { audit } from '../../src/ledger/module.ts';
import { type Comparison, reconcile, unexplained } from '../../src/modules/reconcile/module.ts';
import { statementSource } from '../../src/providers/statement/statement-source.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { MULTIPLIER } from '../harness/games.ts';
import { setLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { liveThroughDay, providerOf } from './random-day.ts';

// A short day, in the suite. `DAY_MEMBERS=300 DAY_ACTS=12 DAY_SEED=7 node --test …` lives through a long one.
const MEMBERS = Number(process.env['DAY_MEMBERS'] ?? 12);
const ACTS = Number(process.env['DAY_ACTS'] ?? 8);
const SEED = Number(process.env['DAY_SEED'] ?? Math.floor(Math.random() * 1e9));
const PATIENCE_MS = 120_000;
const TIMEOUT_MS = 450;

/** Besides what is under way, only this may stand between our books and a statement at the end of a day. */
const SETTLEMENTS = 'settled by a gateway';

describe(`a random day of ${MEMBERS} members, DAY_SEED=${SEED}`, () => {
  let system: System;
  before(async () => {
    system = await startSystem({
      outside: (same) => ({
        ...same,
        // Not what this day is about.
        sms: { ...same.sms, timeoutMs: 10_000 },
        bank: { ...same.bank, timeoutMs: TIMEOUT_MS },
        games: Object.fromEntries(
          Object.entries(same.games).map(([name, config]) => [name, { ...config, timeoutMs: TIMEOUT_MS }]),
        ),
      }),
    });
    await system.world('POST /control/settings', { body: { payoutDelayMs: 200 } });
    const many = Math.max(1_000, MEMBERS * 10);
    await setLimits(system, { 'otp.send.address': many, 'register.address': many, 'otp.failure.address': many });
  });
  after(() => system?.stop());

  const source = () =>
    statementSource({ ...system.outside, bank: patient(system), walletApp: patientApp(system) }, systemClock, true);

  /** What would happen in the next minutes happens now. */
  async function letTimePass(): Promise<void> {
    for (const now of [
      `update transfer_leg set next_ask_at = now() where state = 'UNKNOWN'`,
      `update withdrawal set next_ask_at = now() where state not in ('PAID', 'FAILED')`,
      `update qrcode set inquire_at = now() where inquire_at is not null`,
      `update feed set poll_at = now(), wakes = wakes + 1`,
    ]) {
      await system.database.query(now);
    }
  }
  async function isQuiet(): Promise<boolean> {
    const { rows } = await system.database.query<{ open: number }>(
      `select (select count(*) from transfer_leg where state not in ('DONE', 'REVERSED'))::int
            + (select count(*) from withdrawal where state not in ('PAID', 'FAILED'))::int as open`,
    );
    return rows[0]?.open === 0;
  }

  /** Nothing is under way, and no statement has anything that our books don't. */
  async function untilQuiet(): Promise<Comparison[]> {
    let seen: Comparison[] = [];
    for (const started = performance.now(); performance.now() - started < PATIENCE_MS;) {
      await letTimePass();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      if (!(await isQuiet())) continue;
      seen = await reconcile(system.database, source());
      if (seen.every((one) => unexplained(one) === 0n && !underWay(one))) return seen;
    }
    return seen;
  }

  test('ends with every statement equal to our books, to the satang, and the books right [R-XFER-04]', async (t) => {
    const { people, tally } = await liveThroughDay(system, { seed: SEED, members: MEMBERS, acts: ACTS });
    await system.world('DELETE /control/faults');
    const compared = await untilQuiet();
    t.diagnostic(
      [...tally]
        .map(([word, times]) => `${word} ${times}`)
        .toSorted()
        .join(' · '),
    );
    for (const one of compared) {
      const said = JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      assert.notEqual(one.theirs, undefined, said);
      assert.equal(unexplained(one), 0n, said);
      assert.equal(underWay(one), undefined, said);
    }
    const parties = compared.map(({ party }) => party);
    for (const party of [
      'gateway:kbank',
      'bank:SCB-4680001234',
      'payout:SCB-4680001234',
      'wallet-app',
      'provider:pg',
    ]) {
      const found = compared.find((one) => one.party === party);
      assert.ok(found, `${party} is not among ${parties.join(', ')}`);
    }
    assert.ok(
      compared.some(({ ours }) => ours !== 0n),
      'money moved',
    );
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
    await assertMembersHoldTheirs(people);
  });

  async function assertMembersHoldTheirs(people: Awaited<ReturnType<typeof liveThroughDay>>['people']): Promise<void> {
    const ledger = ledgerOf(system);
    try {
      for (const person of people) {
        const { body } = await system.api('GET /api/wallet/refresh/slot', { token: person.token });
        assert.ok(Array.isArray(body) || typeof body === 'object');
        assert.equal((await balanceOf(ledger, person.id, 'WALLET')).held, '0.00');
        for (const { code, username } of person.games) {
          const rate = MULTIPLIER[code as 'pg'] ?? 1n;
          const { free, held } = await balanceOf(ledger, person.id, `GAME:${code}`);
          const provider = providerOf(code);
          const there = await system.world('GET /games/{provider}/players/{username}', {
            params: { provider, username },
          });
          assert.equal(held, '0.00');
          assert.equal(
            BigInt(free.replace('.', '')),
            BigInt(there.body.balance.replace('.', '')) / rate,
            `${code} ${username}`,
          );
        }
        const { statements, total } = (
          await system.api('POST /api/statement', { token: person.token, body: { limit: 100 } })
        ).body;
        if (total > 100) continue;
        const sum = (statements as { amount: number; status: string }[]).reduce(
          (all, { amount }) => all + Math.round(amount * 100),
          0,
        );
        assert.equal(BigInt(sum), BigInt((await balanceOf(ledger, person.id, 'WALLET')).free.replace('.', '')));
      }
    } finally {
      await ledger.close();
    }
  }
});

const underWay = ({ explanations }: Comparison) => explanations.find(({ what }) => what !== SETTLEMENTS);
/** Statements are long: whoever reads them at the end of a day takes their time. */
const patient = ({ outside }: System) => ({ ...outside.bank, timeoutMs: 10_000 });
const patientApp = ({ outside }: System) => outside.walletApp && { ...outside.walletApp, timeoutMs: 10_000 };
