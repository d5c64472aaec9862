import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../install.mjs';

const read = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const [, APP_VERSION] = /APP_VERSION = '([\d.]+)'/.exec(readFileSync(join(ROOT, 'contract/src/constants.ts'), 'utf8'));
const SHIPPED_WORKSPACES = ['', 'contract/', 'phrases/', 'server/', 'simulators/', 'web/'];
// Packages that are only transitive dependencies, and that development tools use as well.
const SHARED_PACKAGES = ['pg-pool', 'pg-protocol', 'pg-types', 'split2', 'ws', 'debug', 'ajv'];

test('the list of shipped packages has each dependency of a shipped workspace, and no development tool', () => {
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(stderr, '');
  const { components, dependencies, ...bom } = JSON.parse(stdout);
  const { name: ownName, version: ownVersion } = bom.metadata.component;
  assert.deepEqual([bom.bomFormat, bom.specVersion, ownName, ownVersion], ['CycloneDX', '1.5', 'krapao', APP_VERSION]);
  const names = new Set(components.map(({ name }) => name));
  // A package may be listed in several versions.
  const versions = new Set(components.map(({ name, version }) => `${name} ${version}`));
  for (const folder of SHIPPED_WORKSPACES) {
    const workspacePackage = read(`${folder}package.json`);
    assert.equal(workspacePackage.version, undefined, `${folder}package.json: the version is in one place`);
    for (const [name, version] of Object.entries({
      ...workspacePackage.dependencies,
      ...workspacePackage.optionalDependencies,
    })) {
      assert.ok(
        versions.has(`${name} ${version === '*' ? APP_VERSION : version}`),
        `${name} ${version} of ${folder}package.json`,
      );
    }
  }
  for (const name of SHARED_PACKAGES) assert.ok(names.has(name), name);
  for (const name of ['oxlint', 'oxfmt', 'knip', 'vite', '@playwright/test']) assert.ok(!names.has(name), name);
  const { integrity } = read('package-lock.json').packages['node_modules/pg'];
  const pg = components.find(({ name }) => name === 'pg');
  assert.deepEqual(pg.hashes, [
    { alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') },
  ]);
  assert.deepEqual([pg.purl, pg.licenses], [`pkg:npm/pg@${pg.version}`, [{ license: { id: 'MIT' } }]]);
  const refs = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  assert.equal(refs.size, components.length + 1, 'each stands once');
  assert.deepEqual(new Set(dependencies.map(({ ref }) => ref)), refs);
  for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
});
