// `npm run sbom`: prints the shipped packages as CycloneDX 1.5: every package of package-lock.json but development-only
// ones; packages of other platforms are optional. Reads the lock file itself: `npm sbom --omit=dev` omits packages
// shared by a workspace and a tool, such as pg, and npm of Debian 12 lacks the command. The same lock file gives the
// same text, without serial number and time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_VERSION } from '../../contract/src/constants.ts';
import { ROOT } from '../install.mjs';

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const shipped = Object.entries(packages).filter(([, { dev, link }]) => !dev && !link);
// A package that npm installed in two folders is one component.
const byRef = new Map(shipped.map(([path]) => [refOf(path), path]));
const [rootEntry, ...otherEntries] = byRef;

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { lifecycles: [{ phase: 'pre-build' }], component: { ...componentOf(rootEntry), type: 'application' } },
  components: otherEntries.map(componentOf),
  dependencies: [rootEntry, ...otherEntries].map(([ref, path]) => ({ ref, dependsOn: dependenciesOf(path) })),
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function componentOf([ref, path]) {
  const { license, integrity, optional, devOptional } = packages[path];
  const [name, version] = [nameOf(path), versionOf(path)];
  return {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    scope: optional || devOptional ? 'optional' : 'required',
    ...(integrity && { hashes: [hashOf(integrity)] }),
    ...(license && integrity && { licenses: [licenseOf(license)] }),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

function nameOf(path) {
  return packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Own packages have no version of their own. */
function versionOf(path) {
  return packages[path].version ?? APP_VERSION;
}

function refOf(path) {
  return `${nameOf(path)}@${versionOf(path)}`;
}

/** Converts the hash from base64 (lock file) to hexadecimal (CycloneDX). */
function hashOf(integrity) {
  const [, bits, base64] = /^sha(\d+)-(\S+)/.exec(integrity);
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, 'base64').toString('hex') };
}

function licenseOf(license) {
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

function dependenciesOf(path) {
  const { dependencies, optionalDependencies, peerDependencies, workspaces = [] } = packages[path];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  // An optional peer may be missing.
  const paths = [...workspaces, ...names.map((name) => pathFrom(path, name))].filter(
    (candidatePath) => candidatePath !== undefined,
  );
  return [...new Set(paths.map(refOf))].filter((ref) => byRef.has(ref)).toSorted();
}

/** Path at which npm finds a package required at `from`: its own folder, then upwards. */
function pathFrom(fromPath, name) {
  for (let folder = fromPath; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in packages) return packages[path].link ? packages[path].resolved : path;
    if (folder === '') return undefined;
  }
}
