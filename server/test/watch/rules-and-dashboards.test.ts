import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { startSystem, type System } from '../harness/system.ts';
import { metricNamesIn } from './promql.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
const allMatches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, match = '']) => match);

/** Written by commands with `--metrics`, by Prometheus itself, and by its node exporter. */
const EXTERNAL_METRICS = [
  'krapao_audit_wrong',
  'krapao_audit_timestamp_seconds',
  'krapao_reconcile_unexplained',
  'krapao_reconcile_timestamp_seconds',
  'krapao_backup_failed',
  'krapao_offsite_timestamp_seconds',
  'krapao_backup_timestamp_seconds',
  'krapao_backup_verify_timestamp_seconds',
  'krapao_backup_verify_wrong',
  'krapao_doctor_faults',
  'krapao_doctor_timestamp_seconds',
  'up',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
];
const RULES_TEXT = textOf('deploy/prometheus/rules.yml');
const ALERT_NAMES = allMatches(RULES_TEXT, /^ +- alert: (\w+)$/gm);

let system: System;
const exportedNames = new Set(EXTERNAL_METRICS);
before(async () => {
  system = await startSystem({ simulators: false });
  const { body } = await system.api('GET /metrics');
  for (const name of allMatches(String(body), /^# TYPE (\S+)/gm)) exportedNames.add(name);
  for (const name of allMatches(String(body), /^# TYPE (\S+) histogram/gm)) {
    for (const suffix of ['bucket', 'sum', 'count']) exportedNames.add(`${name}_${suffix}`);
  }
  for (const name of allMatches(RULES_TEXT, /^ +- record: (\S+)$/gm)) exportedNames.add(name);
});
after(() => system.stop());

function assertExported(queries: readonly string[], where: string): void {
  assert.ok(queries.length > 0, `${where} has no query`);
  for (const query of queries) {
    const names = metricNamesIn(query);
    assert.ok(names.length > 0, `${where}: "${query}" reads no metric`);
    for (const name of names) assert.ok(exportedNames.has(name), `${where}: no program exports ${name}`);
  }
}

test('every alert rule reads exported metrics', () => {
  const queries = allMatches(RULES_TEXT, /^ +expr: '?(.+?)'?$/gm);
  assert.equal(queries.length, allMatches(RULES_TEXT, /^ +- (alert|record): /gm).length);
  assertExported(queries, 'rules.yml');
});

test('every dashboard panel reads exported metrics', () => {
  const folder = 'deploy/grafana';
  const boardFiles = readdirSync(join(REPOSITORY_ROOT, folder)).filter((name) => name.endsWith('.json'));
  assert.ok(boardFiles.length >= 3);
  for (const name of boardFiles) {
    const dashboard = JSON.parse(textOf(`${folder}/${name}`)) as { panels: { targets: { expr: string }[] }[] };
    assertExported(
      dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      name,
    );
  }
});

test('every alert has a complete runbook, and every runbook an alert', () => {
  const page = textOf('docs/runbooks/alerts.md');
  const pageSections = page.split(/^## /m).slice(1);
  assert.deepEqual(
    pageSections.map((section) => section.split('\n')[0]).filter((title) => title?.startsWith('Krapao')),
    ALERT_NAMES,
  );
  assert.deepEqual(
    allMatches(RULES_TEXT, /^ +runbook: docs\/runbooks\/alerts\.md#(\w+)$/gm),
    ALERT_NAMES.map((name) => name.toLowerCase()),
  );
  for (const section of pageSections.filter((text) => text.startsWith('Krapao'))) {
    for (const heading of ['Members see', 'Money at risk', 'Look', 'Do', 'Never', 'Afterwards']) {
      assert.match(section, new RegExp(`^- \\*\\*${heading}\\*\\*: \\S`, 'm'), section);
    }
  }
});

test('every alert has a test in which it fires and one in which it does not', () => {
  const alertTests = textOf('deploy/prometheus/tests.yml')
    .split(/^ {2}- interval:/m)
    .slice(1);
  for (const alertName of ALERT_NAMES) {
    const testsOfAlert = alertTests.filter((text) => text.includes(`alertname: ${alertName}\n`));
    assert.ok(
      testsOfAlert.some((text) => /exp_alerts:\n/.test(text)),
      `${alertName} is not tested`,
    );
    assert.ok(
      testsOfAlert.some((text) => /exp_alerts: \[\]/.test(text)),
      `nothing shows when ${alertName} is quiet`,
    );
  }
});

test('the alert rules for money errors match exactly the ten money routes of the API', () => {
  const [routePattern = ''] = allMatches(RULES_TEXT, /route=~"([^"]+)"/g);
  const routePaths: string[] = Object.values(endpoints).map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const matchedRoutes = new Set(routePaths.filter((route) => new RegExp(`^(?:${routePattern})$`).test(route)));
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
    assert.ok(matchedRoutes.delete(route), route);
  }
  assert.deepEqual([...matchedRoutes], []);
});
