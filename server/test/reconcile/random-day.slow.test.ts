import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { waitUntilResult, multiplierOf, providerOf } from '../harness/games.ts';
import { type InvalidTextOutside, startPoisonedOutside } from '../harness/invalid-text-outside.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { setRateLimits, openSlipDeposits } from '../harness/operator.ts';
import { type TestOutside, writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';
import { CLOCK_AHEAD_ENVIRONMENT } from './random-day-clock.ts';
import { waitForReconciliation } from './random-day-end.ts';
import { configureIncentives, type DayOffers } from './random-day-incentives.ts';
import { assertWalletsMatchRecords } from './random-day-model.ts';
import { startDayServer } from './random-day-server.ts';
import { receiveEveryIncentive } from './random-day-visit.ts';
import { type DayPlan, runRandomDay, type RandomMember } from './random-day.ts';
import { outsideWithLongTimeouts, outsideEnvironment } from './run-command.ts';

/** A short day, for the suite. `DAY_SEED=7 npm run lab -- day` runs a long one. */
const isLong = process.env['DAY'] === 'long';
const numberFromEnvironment = (name: string, defaultValue: number): number => Number(process.env[name] ?? defaultValue);
const DAY_PLAN: DayPlan = {
  seed: numberFromEnvironment('DAY_SEED', Math.floor(Math.random() * 1e9)),
  members: numberFromEnvironment('DAY_MEMBERS', isLong ? 320 : 12),
  actsPerMember: numberFromEnvironment('DAY_ACTS', isLong ? 24 : 12),
  concurrentMembers: numberFromEnvironment('DAY_AT_ONCE', isLong ? 12 : 6),
  killCount: numberFromEnvironment('DAY_KILLS', isLong ? 5 : 1),
};
const TIMEOUT_MS = 450;
const EXPECTED_PARTIES = [
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
const NAME_FIELDS = ['name', 'payerName', 'sourceName', 'reason', 'description'];
const UNSTORABLE_TEXTS = ['\0', '\ud800', '\u202e', '\u0001\udfff', '\0\0\u009f', '💰\ud83d'];
/** A slip that was sent twice because the server died before its reply is credited once. */
const EXPECTED_SLIP_ENDS = ['CREDITED', 'FAILED SLIP_REFNO_DUPLICATED'];

const formatCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([name, count]) => `${name} ${count}`)
    .toSorted()
    .join(' · ');

describe(`a random day of ${DAY_PLAN.members} members, DAY_SEED=${DAY_PLAN.seed}`, () => {
  let system: System;
  let server: Awaited<ReturnType<typeof startDayServer>> | undefined;
  let directory: string;
  let invalidTextOutside: InvalidTextOutside;
  let offers: DayOffers;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'krapao-day-books-'));
    invalidTextOutside = await startPoisonedOutside();
    system = await startWithInvalidTexts(invalidTextOutside);
    writeOutside(join(directory, 'outside.json'), outsideWithLongTimeouts(system));
    await system.simulatorsApi('POST /control/settings', { body: { payoutDelayMs: 200 } });
    await openSlipDeposits(system);
    const { rows } = await system.database.query<{ name: string }>('select name from operator_data_limit');
    await setRateLimits(system, Object.fromEntries(rows.map(({ name }) => [name, 1_000_000])));
    offers = await configureIncentives(system);
    server = await startDayServer(system);
  });
  after(async () => {
    await server?.stop();
    await system?.stop();
    await invalidTextOutside?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("a random day ends with every counterparty's statement equal to our books, to the satang, and audited books [R-XFER-04]", async (t) => {
    assert.ok(server);
    const startMs = performance.now();
    const { randomDay, members, replyCounts } = await runRandomDay(system, server, offers, DAY_PLAN);
    const dayEndMs = performance.now();
    await system.simulatorsApi('DELETE /control/faults');
    await receiveEveryIncentive(randomDay);
    const comparisons = await waitForReconciliation(system);
    const quietMs = performance.now();
    t.diagnostic(formatCounts(replyCounts));
    const operationCount = await countOf('ledger.operation');
    t.diagnostic(
      `${members.length} members, ${DAY_PLAN.members * DAY_PLAN.actsPerMember} acts, ${operationCount} movements, ${server.kills()} kills, ` +
        `${Math.round((dayEndMs - startMs) / 1_000)} s, quiet after ${Math.round((quietMs - dayEndMs) / 1_000)} s`,
    );
    assert.ok(server.kills() === DAY_PLAN.killCount && invalidTextOutside.countReplaced() > 0);
    const foundParties = new Set(comparisons.map(({ party }) => party));
    for (const party of EXPECTED_PARTIES)
      assert.ok(foundParties.has(party), `${party} is not among ${[...foundParties].join(', ')}`);
    assert.ok(
      comparisons.some(({ ledgerTotal }) => ledgerTotal !== 0n),
      'money moved',
    );
    for (const kind of ['bonus', 'promotion', 'refund', 'invite', 'coupon']) {
      assert.ok(
        comparisons.some(
          ({ party, ledgerTotal, partyTotal }) => party === `cost:${kind}` && ledgerTotal !== 0n && partyTotal !== 0n,
        ),
        `cost:${kind} is nothing`,
      );
    }
    const reconciled = await runCommandProcess(system, 'reconcile', [], {
      ...outsideEnvironment(directory),
      ...CLOCK_AHEAD_ENVIRONMENT,
    });
    t.diagnostic(`\n${reconciled.output}`);
    assert.equal(reconciled.status, 0, reconciled.output);
    assert.match(reconciled.output, new RegExp(`${comparisons.length} compared, 0 without a statement, 0 unexplained`));
    const auditResult = await runCommand(system, 'audit');
    assert.equal(auditResult.status, 0, auditResult.output);
    await assertSlipsAreCredited(replyCounts.get('slip ok') ?? 0);
    await assertMembersMatchProviders(members);
    const totals = await assertWalletsMatchRecords(system, members);
    assert.deepEqual(totals.BAHT.held, totals.BAHT.expected);
    assert.deepEqual(totals.LAK.held, totals.LAK.expected);
    t.diagnostic(`wallets: ${toDecimal(minor(totals.BAHT.held))} BAHT, ${toDecimal(minor(totals.LAK.held))} LAK`);
  });

  async function countOf(table: string): Promise<number> {
    const { rows } = await system.database.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? 0;
  }

  /** Members send only slips of their own transfers, each once. */
  async function assertSlipsAreCredited(slipCount: number): Promise<void> {
    const { rows } = await system.database.query<{ ended: string; count: number }>(
      `select concat_ws(' ', state, reason) as ended, count(*)::int as count from slip group by 1`,
    );
    for (const { ended } of rows) assert.ok(EXPECTED_SLIP_ENDS.includes(ended), ended);
    const creditedCount = rows.find(({ ended }) => ended === 'CREDITED')?.count ?? 0;
    assert.ok(creditedCount >= slipCount, `${slipCount} slips were taken, ${creditedCount} credited`);
  }

  async function assertMembersMatchProviders(members: readonly RandomMember[]): Promise<void> {
    const ledger = createTestLedger(system);
    try {
      for (const member of members) {
        const wallet = await readBalance(ledger, member.id, 'WALLET');
        assert.equal(wallet.held, '0.00');
        if (member.games.length > 0) {
          // On a busy machine inquiries may be repeated: with these short timeouts slow replies count as silence.
          await waitUntilResult(
            'games that tell',
            async () => (await system.api('GET /api/wallet/refresh/slot', { token: member.token })).body.slots,
            (slots: { isStale: boolean }[]) => slots.every(({ isStale }) => !isStale),
          );
        }
        for (const { code, username } of member.games) {
          const creditRate = multiplierOf(code);
          const { free, held } = await readBalance(ledger, member.id, `GAME:${code}`);
          const params = { provider: providerOf(code), username };
          const playerReply = await system.simulatorsApi('GET /games/{provider}/players/{username}', { params });
          assert.equal(held, '0.00');
          assert.equal(parseSatang(free), parseSatang(playerReply.body.balance) / creditRate, `${code} ${username}`);
        }
        const { body } = await system.api('POST /api/statement', { token: member.token, body: { limit: 100 } });
        if (body.total > 100) continue;
        const totalSatang = (body.statements as { amount: number }[]).reduce(
          (total, { amount }) => total + Math.round(amount * 100),
          0,
        );
        assert.equal(BigInt(totalSatang), parseSatang(wallet.free));
      }
    } finally {
      await ledger.close();
    }
  }
});

const parseSatang = (text: string): bigint => BigInt(text.replace('.', ''));

/** Short timeouts for silent parties. No SMS. */
function withShortTimeouts({
  sms,
  kbank,
  ww,
  fp,
  payonex,
  bcel,
  bank,
  walletApp,
  games,
  ...rest
}: TestOutside): TestOutside {
  const withTimeout = <Agreed extends object>(config: Agreed) => ({ ...config, timeoutMs: TIMEOUT_MS });
  return {
    ...rest,
    sms: { ...sms, timeoutMs: 10_000 },
    kbank: withTimeout(kbank),
    ...(ww && { ww: withTimeout(ww) }),
    ...(fp && { fp: withTimeout(fp) }),
    ...(payonex && { payonex: withTimeout(payonex) }),
    ...(bcel && { bcel: withTimeout(bcel) }),
    bank: withTimeout(bank),
    ...(walletApp && { walletApp: withTimeout(walletApp) }),
    games: Object.fromEntries(Object.entries(games).map(([name, config]) => [name, withTimeout(config)])),
  };
}

/** Counterparties use names that can't be stored. */
function startWithInvalidTexts(invalidTextOutside: InvalidTextOutside): Promise<System> {
  let textIndex = 0;
  invalidTextOutside.replaceFields(NAME_FIELDS, () => UNSTORABLE_TEXTS[(textIndex += 1) % UNSTORABLE_TEXTS.length]);
  const outsideWithFaults = (outsideConfig: TestOutside) =>
    invalidTextOutside.outside(withShortTimeouts(outsideConfig));
  return startSystem({ variant: 'lao', outside: outsideWithFaults, simulatorsEnvironment: CLOCK_AHEAD_ENVIRONMENT });
}
