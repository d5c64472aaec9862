import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Outside } from '../../src/outside-config.ts';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { eventually, multiplierOf, providerOf } from '../harness/games.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { setLimits, takeSlipsNow } from '../harness/operator.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { type PoisonedOutside, startPoisonedOutside } from '../harness/poisoned-outside.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type DayPlan, liveThroughDay, type Person } from './random-day.ts';
import { AHEAD } from './random-day-clock.ts';
import { untilQuiet } from './random-day-end.ts';
import { arrangeIncentives, type Offers } from './random-day-incentives.ts';
import { assertWalletsHold } from './random-day-model.ts';
import { startDayServer } from './random-day-server.ts';
import { visitCalmly } from './random-day-visit.ts';
import { outsideWithLongTimeouts, readingOutside } from './run-command.ts';

/** A short day, for the suite. `DAY_SEED=7 npm run lab -- day` runs a long one. */
const isLong = process.env['DAY'] === 'long';
const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const PLAN: DayPlan = {
  seed: numberOf('DAY_SEED', Math.floor(Math.random() * 1e9)),
  members: numberOf('DAY_MEMBERS', isLong ? 320 : 12),
  acts: numberOf('DAY_ACTS', isLong ? 24 : 12),
  atOnce: numberOf('DAY_AT_ONCE', isLong ? 12 : 6),
  kills: numberOf('DAY_KILLS', isLong ? 5 : 1),
};
const TIMEOUT_MS = 450;
const PARTIES = [
  ...['kbank', 'ww', 'fp', 'payonex', 'bcel'].map((name) => `gateway:${name}`),
  ...['SCB-4680001234', 'KBANK-1238004567', 'GSB-020123456789', 'BCEL-010120001234567'].map((name) => `bank:${name}`),
  'payout:SCB-4680001234',
  'wallet-app',
  'provider:pg',
  'provider:askmebet',
  'provider:imi',
  'provider:betflix',
  'suspense',
  ...['bonus', 'promotion', 'refund', 'invite', 'coupon'].map((kind) => `cost:${kind}`),
];
/** Free-text fields of counterparties; none of these texts conflicts with a member's name. */
const NAMES = ['name', 'payerName', 'sourceName', 'reason', 'description'];
const UNSTORABLE = ['\0', '\ud800', '\u202e', '\u0001\udfff', '\0\0\u009f', '💰\ud83d'];
/** A slip that was sent twice because the server died before its reply is credited once. */
const SLIP_ENDS = ['CREDITED', 'FAILED SLIP_REFNO_DUPLICATED'];

describe(`a random day of ${PLAN.members} members, DAY_SEED=${PLAN.seed}`, () => {
  let system: System;
  let server: Awaited<ReturnType<typeof startDayServer>> | undefined;
  let directory: string;
  let poisoned: PoisonedOutside;
  let offers: Offers;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'krapao-day-books-'));
    poisoned = await startPoisonedOutside();
    system = await startPoisoned(poisoned);
    writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
    await system.world('POST /control/settings', { body: { payoutDelayMs: 200 } });
    await takeSlipsNow(system);
    const { rows } = await system.database.query<{ name: string }>('select name from lookup_limit');
    await setLimits(system, Object.fromEntries(rows.map(({ name }) => [name, 1_000_000])));
    offers = await arrangeIncentives(system);
    server = await startDayServer(system);
  });
  after(async () => {
    await server?.stop();
    await system?.stop();
    await poisoned?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('ends with every statement equal to our books, to the satang, and the books right [R-XFER-04]', async (t) => {
    assert.ok(server);
    const started = performance.now();
    const { day, people, tally } = await liveThroughDay(system, server, offers, PLAN);
    const lived = performance.now();
    await system.world('DELETE /control/faults');
    await visitCalmly(day);
    const compared = await untilQuiet(system);
    const quiet = performance.now();
    t.diagnostic(
      [...tally]
        .map(([word, times]) => `${word} ${times}`)
        .toSorted()
        .join(' · '),
    );
    const movements = await countOf('ledger.operation');
    t.diagnostic(
      `${people.length} members, ${PLAN.members * PLAN.acts} acts, ${movements} movements, ${server.kills()} kills, ` +
        `${Math.round((lived - started) / 1_000)} s, quiet after ${Math.round((quiet - lived) / 1_000)} s`,
    );
    assert.ok(server.kills() === PLAN.kills && poisoned.replaced() > 0);
    const parties = new Set(compared.map(({ party }) => party));
    for (const party of PARTIES) assert.ok(parties.has(party), `${party} is not among ${[...parties].join(', ')}`);
    assert.ok(
      compared.some(({ ours }) => ours !== 0n),
      'money moved',
    );
    for (const kind of ['bonus', 'promotion', 'refund', 'invite', 'coupon']) {
      assert.ok(
        compared.some(({ party, ours, theirs }) => party === `cost:${kind}` && ours !== 0n && theirs !== 0n),
        `cost:${kind} is nothing`,
      );
    }
    const reconciled = await runCommandProcess(system, 'reconcile', [], { ...readingOutside(directory), ...AHEAD });
    t.diagnostic(`\n${reconciled.output}`);
    assert.equal(reconciled.status, 0, reconciled.output);
    assert.match(reconciled.output, new RegExp(`${compared.length} compared, 0 without a statement, 0 unexplained`));
    const audited = await runCommand(system, 'audit');
    assert.equal(audited.status, 0, audited.output);
    await assertSlipsAreCredited(tally.get('slip ok') ?? 0);
    await assertMembersHoldTheirs(people);
    const sums = await assertWalletsHold(system, people);
    assert.deepEqual(sums.BAHT.held, sums.BAHT.expected);
    assert.deepEqual(sums.LAK.held, sums.LAK.expected);
    t.diagnostic(`wallets: ${toDecimal(minor(sums.BAHT.held))} BAHT, ${toDecimal(minor(sums.LAK.held))} LAK`);
  });

  async function countOf(table: string): Promise<number> {
    const { rows } = await system.database.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? 0;
  }

  /** Members send only slips of their own transfers, each once. */
  async function assertSlipsAreCredited(taken: number): Promise<void> {
    const { rows } = await system.database.query<{ ended: string; count: number }>(
      `select concat_ws(' ', state, reason) as ended, count(*)::int as count from slip group by 1`,
    );
    for (const { ended } of rows) assert.ok(SLIP_ENDS.includes(ended), ended);
    const credited = rows.find(({ ended }) => ended === 'CREDITED')?.count ?? 0;
    assert.ok(credited >= taken, `${taken} slips were taken, ${credited} credited`);
  }

  async function assertMembersHoldTheirs(people: readonly Person[]): Promise<void> {
    const ledger = ledgerOf(system);
    try {
      for (const person of people) {
        const wallet = await balanceOf(ledger, person.id, 'WALLET');
        assert.equal(wallet.held, '0.00');
        if (person.games.length > 0) {
          // On a busy machine inquiries may be repeated: with these short timeouts slow replies count as silence.
          await eventually(
            'games that tell',
            async () => (await system.api('GET /api/wallet/refresh/slot', { token: person.token })).body.slots,
            (slots: { isStale: boolean }[]) => slots.every(({ isStale }) => !isStale),
          );
        }
        for (const { code, username } of person.games) {
          const rate = multiplierOf(code);
          const { free, held } = await balanceOf(ledger, person.id, `GAME:${code}`);
          const params = { provider: providerOf(code), username };
          const there = await system.world('GET /games/{provider}/players/{username}', { params });
          assert.equal(held, '0.00');
          assert.equal(satang(free), satang(there.body.balance) / rate, `${code} ${username}`);
        }
        const { body } = await system.api('POST /api/statement', { token: person.token, body: { limit: 100 } });
        if (body.total > 100) continue;
        const sum = (body.statements as { amount: number }[]).reduce(
          (all, { amount }) => all + Math.round(amount * 100),
          0,
        );
        assert.equal(BigInt(sum), satang(wallet.free));
      }
    } finally {
      await ledger.close();
    }
  }
});

const satang = (text: string): bigint => BigInt(text.replace('.', ''));

/** Short timeouts for silent parties. No SMS. */
function hurried({ sms, kbank, ww, fp, payonex, bcel, bank, walletApp, games, ...rest }: Outside): Outside {
  const soon = <Agreed extends object>(agreed: Agreed) => ({ ...agreed, timeoutMs: TIMEOUT_MS });
  return {
    ...rest,
    sms: { ...sms, timeoutMs: 10_000 },
    kbank: soon(kbank),
    ...(ww && { ww: soon(ww) }),
    ...(fp && { fp: soon(fp) }),
    ...(payonex && { payonex: soon(payonex) }),
    ...(bcel && { bcel: soon(bcel) }),
    bank: soon(bank),
    ...(walletApp && { walletApp: soon(walletApp) }),
    games: Object.fromEntries(Object.entries(games).map(([name, config]) => [name, soon(config)])),
  };
}

/** Counterparties use names that can't be stored. */
function startPoisoned(poisoned: PoisonedOutside): Promise<System> {
  let turn = 0;
  poisoned.poison(NAMES, () => UNSTORABLE[(turn += 1) % UNSTORABLE.length]);
  const outside = (agreed: Outside): Outside => poisoned.outside(hurried(agreed));
  return startSystem({ variant: 'lao', outside, simulatorsEnvironment: AHEAD });
}
