import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { startSystem, type System } from '../harness/system.ts';
import { metricsOf } from './promql.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Written by `npm run krapao -- audit` and `npm run krapao -- reconcile` with `--metrics`, and by Prometheus itself. */
const ELSEWHERE = [
  'krapao_audit_wrong',
  'krapao_audit_timestamp_seconds',
  'krapao_reconcile_unexplained',
  'krapao_reconcile_timestamp_seconds',
  'up',
];
const RULES = textOf('deploy/prometheus/rules.yml');
const ALERTS = all(RULES, /^ +- alert: (\w+)$/gm);

let system: System;
const exported = new Set(ELSEWHERE);
before(async () => {
  system = await startSystem({ simulators: false });
  const { body } = await system.api('GET /metrics');
  for (const name of all(String(body), /^# TYPE (\S+)/gm)) exported.add(name);
  for (const name of all(String(body), /^# TYPE (\S+) histogram/gm)) {
    for (const part of ['bucket', 'sum', 'count']) exported.add(`${name}_${part}`);
  }
  for (const name of all(RULES, /^ +- record: (\S+)$/gm)) exported.add(name);
});
after(() => system.stop());

function assertExported(queries: readonly string[], where: string): void {
  assert.ok(queries.length > 0, `${where} has no query`);
  for (const query of queries) {
    const names = metricsOf(query);
    assert.ok(names.length > 0, `${where}: "${query}" reads no metric`);
    for (const name of names) assert.ok(exported.has(name), `${where}: no program exports ${name}`);
  }
}

test('every rule reads metrics that are exported', () => {
  const queries = all(RULES, /^ +expr: '?(.+?)'?$/gm);
  assert.equal(queries.length, all(RULES, /^ +- (alert|record): /gm).length);
  assertExported(queries, 'rules.yml');
});

test('every panel of a dashboard reads metrics that are exported', () => {
  const folder = 'deploy/grafana';
  const boards = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.json'));
  assert.ok(boards.length >= 3);
  for (const name of boards) {
    const board = JSON.parse(textOf(`${folder}/${name}`)) as { panels: { targets: { expr: string }[] }[] };
    assertExported(
      board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      name,
    );
  }
});

test('every alert has a runbook with all its parts, and every runbook an alert', () => {
  const page = textOf('docs/runbooks/alerts.md');
  const parts = page.split(/^## /m).slice(1);
  assert.deepEqual(
    parts.map((part) => part.split('\n')[0]).filter((title) => title?.startsWith('Krapao')),
    ALERTS,
  );
  assert.deepEqual(
    all(RULES, /^ +runbook: docs\/runbooks\/alerts\.md#(\w+)$/gm),
    ALERTS.map((name) => name.toLowerCase()),
  );
  for (const part of parts.filter((text) => text.startsWith('Krapao'))) {
    for (const what of ['Members see', 'Money at risk', 'Look', 'Do', 'Never', 'Afterwards']) {
      assert.match(part, new RegExp(`^- \\*\\*${what}\\*\\*: \\S`, 'm'), part);
    }
  }
});

test('every alert has a test in which it fires and one in which it is quiet', () => {
  const tests = textOf('deploy/prometheus/tests.yml')
    .split(/^ {2}- interval:/m)
    .slice(1);
  for (const alert of ALERTS) {
    const own = tests.filter((text) => text.includes(`alertname: ${alert}\n`));
    assert.ok(
      own.some((text) => /exp_alerts:\n/.test(text)),
      `${alert} is not tested`,
    );
    assert.ok(
      own.some((text) => /exp_alerts: \[\]/.test(text)),
      `nothing shows when ${alert} is quiet`,
    );
  }
});

test('the routes of money commands in the rules are routes of the API', () => {
  const [pattern = ''] = all(RULES, /route=~"([^"]+)"/g);
  const routes: string[] = Object.values(endpoints).map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const matched = new Set(routes.filter((route) => new RegExp(`^(?:${pattern})$`).test(route)));
  for (const route of [
    '/api/wallet/transfer',
    '/api/wallet/transferAll',
    '/api/wallet/withdraw',
    '/api/wallet/withdrawAll',
    '/api/wallet/slip',
    '/api/wallet/truelink',
    '/api/wallet/add',
    '/api/qrcode/:bankCode',
    '/api/bonus/activate/:code',
    '/api/spinwheel/spin',
  ]) {
    assert.ok(matched.delete(route), route);
  }
  assert.deepEqual([...matched], []);
});
