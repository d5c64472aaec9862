import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkOutsideFile, checkSecrets } from '../../src/doctor/check-files.ts';
import { readOutside } from '../../src/outside-config.ts';
import { readConfig } from '../../src/platform/config.ts';
import { systemClock } from '../../src/platform/time.ts';

const data = mkdtempSync(join(tmpdir(), 'krapao-doctor-owner-'));
const secretsFile = join(data, 'secrets.json');
writeFileSync(secretsFile, '{}');
after(() => rmSync(data, { recursive: true, force: true }));

test('doctor reports a file of another user, and does not suggest copying it', () => {
  chmodSync(data, 0o700);
  chmodSync(secretsFile, 0o000);
  try {
    const config = { ...readConfig({ DATA_DIR: data }), outsideFile: secretsFile };
    const readSecrets = () => readOutside(secretsFile);
    const findings = runAsOtherUser(() => [
      ...checkSecrets(config, systemClock),
      ...checkOutsideFile(config, readSecrets, systemClock),
    ]);
    for (const finding of findings) {
      assert.match(finding.sentence, /^This user may not read .*secrets\.json: run the program as the owner/);
      assert.match(
        finding.level === 'good' ? '' : finding.remedy,
        /^Run this as the user that runs the server, or chown/,
      );
    }
    assert.equal(findings.length, 2);
  } finally {
    chmodSync(secretsFile, 0o600);
  }
});

/** Root reads every file. */
function runAsOtherUser<T>(action: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
