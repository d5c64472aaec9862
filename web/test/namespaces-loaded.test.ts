import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';

const SOURCE_FOLDER = join(import.meta.dirname, '../src');
const NAMESPACES: ReadonlySet<string> = new Set(
  readdirSync(join(import.meta.dirname, '../../phrases/th')).map((file) => file.replace('.json', '')),
);
/** Modules that only display failures of calls; each failed call loads the namespace `errors`. */
const FAILURE_MODULES: ReadonlySet<string> = new Set([
  'shared/ask-support.tsx',
  'api/error-text.ts',
  'shell/session-failures.ts',
]);

const STATIC_IMPORT = /^(?:import|export)(?! type)(?:[\s\w{},*]*\bfrom)? '(\.[^']+\.tsx?)'/gm;
const LAZY_IMPORT = /import\('(\.[^']+\.tsx?)'\)/g;
const LOADED_NAMESPACES = /loadNamespaces\(\[([^\]]*)/g;
const USED_NAMESPACES = [/useTranslation\('(\w+)'/g, /['`](\w+):\w+[.'`]/g, /getResource\([\w.]+, '(\w+)'/g];

const firstGroups = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** A lazy import and the namespaces that load together with it. */
type LazyImport = { module: string; namespaces: readonly string[] };
/** A module. `namespaces` are those that it uses without loading them itself. */
type ParsedModule = { imports: readonly string[]; lazyImports: readonly LazyImport[]; namespaces: readonly string[] };

const parsedModules = new Map<string, ParsedModule>();

/** Parses a module. @param name path below `web/src` */
function moduleOf(name: string): ParsedModule {
  const parsedModule = parsedModules.get(name);
  if (parsedModule) return parsedModule;
  const text = readFileSync(join(SOURCE_FOLDER, name), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const resolveImport = (path: string): string => normalize(join(name, '..', path));
  const listedNamespaces = firstGroups(text, /useTranslation\(\[([^\]]*)/g).flatMap((list) =>
    firstGroups(list, /'(\w+)'/g),
  );
  const loadedNamespaces = firstGroups(text, LOADED_NAMESPACES).flatMap((list) => firstGroups(list, /'(\w+)'/g));
  const module = {
    imports: firstGroups(text, STATIC_IMPORT).map(resolveImport),
    lazyImports: [...text.matchAll(LAZY_IMPORT)].map(({ 1: path = '', index }) => ({
      module: resolveImport(path),
      namespaces: namespacesLoadedWith(text, index),
    })),
    namespaces: [...listedNamespaces, ...USED_NAMESPACES.flatMap((pattern) => firstGroups(text, pattern))].filter(
      (namespace) => NAMESPACES.has(namespace) && !loadedNamespaces.includes(namespace),
    ),
  };
  parsedModules.set(name, module);
  return module;
}

/** Namespaces loaded in the same `Promise.all` as the lazy import at `index`. */
function namespacesLoadedWith(text: string, importIndex: number): string[] {
  const start = text.lastIndexOf('Promise.all([', importIndex);
  const promiseList =
    start < 0 ? '' : text.slice(start, text.indexOf(']);', start) + 1 || text.indexOf('])', importIndex) + 1);
  const isInPromiseList = start + promiseList.length > importIndex;
  return isInPromiseList
    ? firstGroups(promiseList, LOADED_NAMESPACES).flatMap((list) => firstGroups(list, /'(\w+)'/g))
    : [];
}

/** Collects the namespaces that modules use without loading them, following static and lazy imports. */
function collectUnloaded(
  entries: readonly string[],
  loadedNamespaces: readonly string[],
  missingTexts = new Set<string>(),
): Set<string> {
  const reachedModules = new Set(entries);
  for (const name of reachedModules) for (const path of moduleOf(name).imports) reachedModules.add(path);
  reachedModules.delete('routes.tsx');
  for (const name of reachedModules) {
    const { namespaces, lazyImports } = moduleOf(name);
    if (!FAILURE_MODULES.has(name))
      for (const namespace of namespaces)
        if (!loadedNamespaces.includes(namespace)) missingTexts.add(`${name} says ${namespace}`);
    for (const lazyImport of lazyImports)
      collectUnloaded([lazyImport.module], [...loadedNamespaces, ...lazyImport.namespaces], missingTexts);
  }
  return missingTexts;
}

const LAYOUT_MODULES: Record<string, string> = {
  public: 'shell/public-layout.tsx',
  member: 'screens/member-layout.tsx',
  bare: 'screens/bare-layout.tsx',
};

const ROUTE_PATTERN =
  /path: '(?<path>.+)',\s+shell: '(?<shell>\w+)',\s+title: '\w+',\s+namespaces: \[(?<namespaces>.*)\],\s+page: \(\) => import\('\.\/(?<page>.+)'\)/g;
const routes = [...readFileSync(join(SOURCE_FOLDER, 'routes.tsx'), 'utf8').matchAll(ROUTE_PATTERN)];

test('every screen loads the phrase files that it and its dialogs use, in every language', () => {
  const shellMatches = readFileSync(join(SOURCE_FOLDER, 'routes.tsx'), 'utf8').match(/shell: '/g);
  assert.equal(routes.length, shellMatches?.length, 'a route is written in another way');
  for (const { groups: { path, shell = '', namespaces = '', page = '' } = {} } of routes) {
    const loadedNamespaces = [
      'common',
      ...(shell === 'public' ? [] : ['parts']),
      ...firstGroups(namespaces, /'(\w+)'/g),
    ];
    assert.deepEqual([...collectUnloaded(['main.tsx', page, LAYOUT_MODULES[shell] ?? ''], loadedNamespaces)], [], path);
  }
});

test('a screen or dialog whose phrase file is not loaded is reported', () => {
  const unloadedTexts = [...collectUnloaded(['screens/home-screen.tsx'], ['common', 'parts', 'agreement'])];
  assert.ok(unloadedTexts.includes('features/home/home-page.tsx says home'), unloadedTexts.join('; '));
  assert.ok(!unloadedTexts.some((unloadedText) => unloadedText.endsWith('says deposit')), unloadedTexts.join('; '));
  assert.deepEqual([...collectUnloaded(['features/spinwheel/fairness-panel.tsx'], ['common'])].sort().slice(0, 1), [
    'features/spinwheel/fairness-panel.tsx says fairness',
  ]);
});
