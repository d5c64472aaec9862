import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { unitSetting } from '../../../lab/cluster/files.mjs';
import { stopWithinMs } from '../../../server/src/platform/config.ts';
import { settings } from '../../../server/src/platform/settings.ts';
import { ROOT } from '../../install.mjs';

const UNIT_FOLDER = join(ROOT, 'deploy/systemd');
const UNIT_FOLDERS = [UNIT_FOLDER, join(ROOT, 'deploy/podman'), join(ROOT, 'deploy/patroni')];
const serviceUnit = readFileSync(join(UNIT_FOLDER, 'krapao.service'), 'utf8');
const DRAIN_MOST_MS = 60_000;

test('systemd, where installed, accepts every line of the units', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return context.diagnostic('systemd is not installed');
  for (const unitFolder of UNIT_FOLDERS) {
    const folder = mkdtempSync(join(tmpdir(), 'krapao-units-'));
    try {
      const names = readdirSync(unitFolder).filter((name) => /\.(service|timer)$/.test(name));
      assert.ok(names.length > 0, unitFolder);
      // Writes a unit with the paths of this machine.
      const putFile = (name) => {
        const text = readFileSync(join(unitFolder, name), 'utf8').replaceAll('/opt/krapao/', `${ROOT}/`);
        const installed = text.replace(/^ExecStart=\/usr\/local\/s?bin\/(\S+)/m, `ExecStart=${unitFolder}/$1`);
        writeFileSync(join(folder, name), installed.replaceAll('=/opt/krapao\n', `=${ROOT}\n`));
        return join(folder, name);
      };
      const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', ...names.map(putFile)], {
        encoding: 'utf8',
      });
      assert.equal(stdout + stderr, '');
      assert.equal(status, 0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

test('systemd is notified by a child of the server, and supervises it', () => {
  assert.equal(unitSetting(serviceUnit, 'Type'), 'notify');
  assert.equal(unitSetting(serviceUnit, 'NotifyAccess'), 'all');
  assert.match(unitSetting(serviceUnit, 'WatchdogSec'), /^[1-9]\d*$/);
});

test("systemd's stop timeout exceeds the longest drain and the end of the database", () => {
  assert.ok(settings.DRAIN_MS.schema.safeParse(String(DRAIN_MOST_MS)).success);
  assert.ok(!settings.DRAIN_MS.schema.safeParse(String(DRAIN_MOST_MS + 1)).success);
  assert.ok(Number(unitSetting(serviceUnit, 'TimeoutStopSec')) * 1_000 > stopWithinMs(DRAIN_MOST_MS));
});
