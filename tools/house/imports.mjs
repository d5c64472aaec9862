import { posix } from 'node:path';
import { composedArrows, moduleOf } from './composition.mjs';
import { isSource, lineOf, withoutComments } from './files.mjs';
import { moduleTable, testWorkspaceTable, workspaceTable } from './module-table.mjs';
import { checkWeb } from './web.mjs';

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;

/** The shape of the house: who may import whom. Answers sentences. */
export function checkImports(files) {
  const edges = files.filter(({ path }) => isSource(path)).flatMap(edgesOf);
  const composed = composedArrows(files, Object.keys(moduleTable));
  return [
    ...edges.flatMap(betweenWorkspaces),
    ...edges.flatMap(insideServer),
    ...edges.flatMap(insideModule),
    ...checkWeb(edges),
    ...edges.flatMap(contractAlone),
    ...composed.flatMap(throughCompose),
    ...unusedArrows(edges, composed),
    ...cycles(moduleTable),
  ];
}

/** Every import of a file as `{from, to, line, isType}`; `to` is a path of the repository, or the name of a package. */
function edgesOf({ path, text }) {
  const source = withoutComments(text);
  return [...source.matchAll(IMPORT)].map((match) => ({
    from: path,
    to: resolveImport(path, match[2]),
    line: lineOf(source, match.index),
    isType: /import\s+type\b[^;]*$/.test(source.slice(0, match.index)),
  }));
}

function resolveImport(from, specifier) {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  const own = /^@krapao\/([a-z0-9]+)\/(.*)$/.exec(specifier);
  return own ? `${own[1]}/src/${own[2]}.ts` : `package:${specifier}`;
}

const say = ({ from, to, line }, why) => [`${from}:${line} imports ${to}: ${why}`];
const workspaceOf = (path) => path.slice(0, Math.max(0, path.indexOf('/')));

function betweenWorkspaces(edge) {
  if (edge.to.startsWith('package:')) return [];
  const [from, to] = [workspaceOf(edge.from), workspaceOf(edge.to)];
  const ofTests = edge.from.startsWith(`${from}/test/`) ? (testWorkspaceTable[from] ?? []) : [];
  const allowed = workspaceTable[from]?.concat(ofTests);
  if (from === to || !allowed || allowed.includes(to)) return [];
  return say(edge, `${from} may import ${allowed.join(', ') || 'nothing of ours'} only.`);
}

const LAYERS = {
  platform: ['platform'],
  ledger: ['ledger', 'platform'],
  counterparties: ['counterparties', 'platform', 'outside'],
  settlement: ['settlement', 'ledger', 'platform'],
  modules: ['modules', 'settlement', 'ledger', 'counterparties', 'platform', 'outside'],
  outside: ['platform', 'outside', 'counterparties'],
  backup: ['backup', 'platform'],
  doctor: ['doctor', 'settlement', 'platform', 'outside'],
};

/** platform ← ledger ← settlement ← modules ← compose, app ← main; counterparties know the platform alone; doctor reads. */
function insideServer(edge) {
  if (!edge.from.startsWith('server/src/') || !edge.to.startsWith('server/src/')) return [];
  const [from, to] = [layerOf(edge.from), layerOf(edge.to)];
  const allowed = LAYERS[from];
  if (allowed && !allowed.includes(to)) return say(edge, `${from} may import ${allowed.join(', ')} only.`);
  const [one, other] = [moduleOf(edge.from), moduleOf(edge.to)];
  const isParent = one.startsWith(`${other}/`);
  const leavesItsOwn = to === 'ledger' ? from !== 'ledger' : other !== '' && one !== other && !isParent;
  if (!leavesItsOwn) return [];
  if (!edge.to.endsWith('/module.ts')) return say(edge, `${other || to} is used through its module.ts.`);
  if (one === '' || other === '' || moduleTable[one]?.includes(other)) return [];
  return say(edge, `tools/house/module-table.mjs has no arrow from ${one} to ${other}.`);
}

function layerOf(path) {
  const [, , name = '', ...rest] = path.split('/');
  return rest.length > 0 ? name : name.replace(/\.ts$/, '');
}

/** In a module: module.ts → routes, webhooks, jobs → use cases → pure rules and queries. */
function insideModule(edge) {
  const module = moduleOf(edge.from);
  if (!module || moduleOf(edge.to) !== module) return [];
  const name = (path) => posix.basename(path, '.ts');
  const [from, to] = [name(edge.from), name(edge.to)];
  const word = posix.basename(module);
  if (to === 'module') return say(edge, 'module.ts is the top of its module.');
  if (/^(routes|webhook)$/.test(to) && from !== 'module') return say(edge, `${to}.ts is used by module.ts alone.`);
  if (from === word && to.startsWith('queries') && !edge.isType)
    return say(edge, `${word}.ts holds pure rules and runs no query.`);
  if (from.startsWith('queries') && /^(routes|webhook)$/.test(to)) return say(edge, 'queries know no routes.');
  return [];
}

function contractAlone(edge) {
  if (!edge.from.startsWith('contract/src/')) return [];
  const isAllowed = !edge.to.startsWith('package:') || /^package:zod(\/|$)/.test(edge.to);
  return isAllowed ? [] : say(edge, 'the contract depends on the schema library alone.');
}

/** What `compose.ts` hands to a module is known to it as if it were imported. */
function throughCompose({ from, to, line }) {
  if (moduleTable[from]?.includes(to)) return [];
  return [`server/src/compose.ts:${line} gives ${to} to ${from}: tools/house/module-table.mjs has no such arrow.`];
}

function unusedArrows(edges, composed) {
  const used = new Set([
    ...edges.map(({ from, to }) => `${moduleOf(from)} → ${moduleOf(to)}`),
    ...composed.map(({ from, to }) => `${from} → ${to}`),
  ]);
  return Object.entries(moduleTable).flatMap(([from, allowed]) =>
    allowed
      .filter((to) => !used.has(`${from} → ${to}`))
      .map((to) => `tools/house/module-table.mjs allows ${from} → ${to}, which is not used.`),
  );
}

function cycles(table) {
  const reaches = (from, target, seen = new Set()) =>
    (table[from] ?? []).some((next) => next === target || (!seen.has(next) && reaches(next, target, seen.add(next))));
  return Object.keys(table)
    .filter((module) => reaches(module, module))
    .map((module) => `tools/house/module-table.mjs has a cycle through ${module}.`);
}
