// `npm run deps`: knip, then dependency-cruiser with the import rules of .dependency-cruiser.cjs.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { projectNode, ROOT } from './install.mjs';

/** Without a parser for TypeScript, dependency-cruiser finds no module and reports no error. */
const MODULES_MIN = 600;

const { forbidden, options, tables } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

/** Returns messages about a work tree: forbidden imports, and tables that differ from its folders. */
export async function checkImports(folder = ROOT, modulesMin = MODULES_MIN) {
  const { workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const folders = workspaces.filter((name) => existsSync(join(folder, name)));
  const { output } = await cruise(folders, { ...options, baseDir: folder, ruleSet: { forbidden }, validate: true });
  const { totalCruised, violations } = output.summary;
  const reasons = new Map(forbidden.map(({ name, comment }) => [name, comment]));
  const cruisedModules = workspaces.filter((name) =>
    output.modules.some(({ source }) => source.startsWith(`${name}/`)),
  );
  return [
    ...violations.map(({ from, to, rule }) => `${from} imports ${to}: ${reasons.get(rule.name)} (${rule.name})`),
    ...(totalCruised < modulesMin ? [`Only ${totalCruised} modules were read, expected ${modulesMin} or more.`] : []),
    ...differences('workspace', Object.keys(tables.workspaces), workspaces),
    ...differences('workspace with imports', workspaces, cruisedModules),
    ...differences('module', Object.keys(tables.modules), moduleFolders(folder)),
    ...differences('web folder', Object.keys(tables.webFolders), webFoldersOf(output.modules)),
    ...unusedArrows(output.modules),
  ];
}

const differences = (kind, listed, found) => [
  ...found.filter((name) => !listed.includes(name)).map((name) => `.dependency-cruiser.cjs has no ${kind} ${name}.`),
  ...listed.filter((name) => !found.includes(name)).map((name) => `There is no ${kind} ${name}.`),
];

/** A folder below modules/ with files is a module; deposit/ contains one module per method. */
function moduleFolders(folder) {
  const foldersIn = (path) =>
    readdirSync(join(folder, 'server/src/modules', path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name));
  return foldersIn('').flatMap((name) => (name === 'deposit' ? foldersIn(name) : [name]));
}

const webFoldersOf = (cruisedModules) => [
  ...new Set(cruisedModules.flatMap(({ source }) => /^web\/src\/([^/]+)\/.+\.tsx?$/.exec(source)?.[1] ?? [])),
];

function unusedArrows(cruisedModules) {
  const moduleOf = (path) => /^server\/src\/modules\/((?:deposit\/)?[^/]+)\//.exec(path)?.[1] ?? '';
  const usedArrows = new Set(
    cruisedModules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => `${moduleOf(source)} → ${moduleOf(resolved)}`),
    ),
  );
  return Object.entries(tables.modules)
    .flatMap(([from, allowed]) => allowed.map((to) => `${from} → ${to}`))
    .filter((arrow) => !usedArrows.has(arrow))
    .map((arrow) => `.dependency-cruiser.cjs allows ${arrow}, which nothing uses.`);
}

if (import.meta.main) {
  const knip = spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/knip')], { cwd: ROOT, stdio: 'inherit' });
  const messages = await checkImports();
  for (const message of messages) console.error(message);
  process.exitCode = knip.status === 0 && messages.length === 0 ? 0 : 1;
}
