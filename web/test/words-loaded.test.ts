import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';

const SOURCE = join(import.meta.dirname, '../src');
const WORDS: ReadonlySet<string> = new Set(
  readdirSync(join(import.meta.dirname, '../../phrases/th')).map((file) => file.replace('.json', '')),
);
/** These only display failures of calls, and each failed call loads their texts. */
const AFTER_A_FAILURE: ReadonlySet<string> = new Set(['shell/error-text.ts', 'shell/session-failures.ts']);

const IMPORT = /^(?:import|export)(?! type)(?:[\s\w{},*]*\bfrom)? '(\.[^']+\.tsx?)'/gm;
const LATER = /import\('(\.[^']+\.tsx?)'\)/g;
const FETCHED = /loadNamespaces\(\[([^\]]*)/g;
const NAMED = [/useTranslation\('(\w+)'/g, /['`](\w+):\w+[.'`]/g, /getResource\([\w.]+, '(\w+)'/g];

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** A lazy import, and the namespaces that load with it. */
type Later = { module: string; words: readonly string[] };
/** `words` are the namespaces that it uses and does not load itself. */
type Module = { imports: readonly string[]; later: readonly Later[]; words: readonly string[] };

const modules = new Map<string, Module>();

/** @param name path of a module in `web/src` */
function moduleOf(name: string): Module {
  const known = modules.get(name);
  if (known) return known;
  const text = readFileSync(join(SOURCE, name), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const at = (path: string): string => normalize(join(name, '..', path));
  const lists = found(text, /useTranslation\(\[([^\]]*)/g).flatMap((list) => found(list, /'(\w+)'/g));
  const fetched = found(text, FETCHED).flatMap((list) => found(list, /'(\w+)'/g));
  const module = {
    imports: found(text, IMPORT).map(at),
    later: [...text.matchAll(LATER)].map(({ 1: path = '', index }) => ({
      module: at(path),
      words: besides(text, index),
    })),
    words: [...lists, ...NAMED.flatMap((pattern) => found(text, pattern))].filter(
      (word) => WORDS.has(word) && !fetched.includes(word),
    ),
  };
  modules.set(name, module);
  return module;
}

/** Namespaces in the `Promise.all` around an import. */
function besides(text: string, index: number): string[] {
  const start = text.lastIndexOf('Promise.all([', index);
  const group = start < 0 ? '' : text.slice(start, text.indexOf(']);', start) + 1 || text.indexOf('])', index) + 1);
  const isIn = start + group.length > index;
  return isIn ? found(group, FETCHED).flatMap((list) => found(list, /'(\w+)'/g)) : [];
}

/** Namespaces that modules use without loading them, including static and lazy imports. */
function unloaded(entries: readonly string[], loaded: readonly string[], missing = new Set<string>()): Set<string> {
  const reached = new Set(entries);
  for (const name of reached) for (const path of moduleOf(name).imports) reached.add(path);
  reached.delete('routes.tsx');
  for (const name of reached) {
    const { words, later } = moduleOf(name);
    if (!AFTER_A_FAILURE.has(name))
      for (const word of words) if (!loaded.includes(word)) missing.add(`${name} says ${word}`);
    for (const one of later) unloaded([one.module], [...loaded, ...one.words], missing);
  }
  return missing;
}

const LAYOUTS: Record<string, string> = {
  public: 'shell/public-layout.tsx',
  member: 'member/member-layout.tsx',
  bare: 'screens/bare-layout.tsx',
};

const ROUTE =
  /path: '(?<path>.+)',\s+shell: '(?<shell>\w+)',\s+title: '\w+',\s+words: \[(?<words>.*)\],\s+page: \(\) => import\('\.\/(?<page>.+)'\)/g;
const routes = [...readFileSync(join(SOURCE, 'routes.tsx'), 'utf8').matchAll(ROUTE)];

test('every screen has the words loaded that it and its dialogs say, in whichever language', () => {
  const known = readFileSync(join(SOURCE, 'routes.tsx'), 'utf8').match(/shell: '/g);
  assert.equal(routes.length, known?.length, 'a route is written in another way');
  for (const { groups: { path, shell = '', words = '', page = '' } = {} } of routes) {
    const loaded = ['common', ...(shell === 'public' ? [] : ['parts']), ...found(words, /'(\w+)'/g)];
    assert.deepEqual([...unloaded(['main.tsx', page, LAYOUTS[shell] ?? ''], loaded)], [], path);
  }
});

test('a screen whose words are not loaded is found, and so is a dialog of it', () => {
  const faults = [...unloaded(['screens/home-screen.tsx'], ['common', 'parts', 'agreement'])];
  assert.ok(faults.includes('features/home/home-page.tsx says home'), faults.join('; '));
  assert.ok(!faults.some((fault) => fault.endsWith('says deposit')), faults.join('; '));
  assert.deepEqual([...unloaded(['features/spinwheel/fairness-panel.tsx'], ['common'])].sort().slice(0, 1), [
    'features/spinwheel/fairness-panel.tsx says fairness',
  ]);
});
