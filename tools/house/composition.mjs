import { posix } from 'node:path';
import { lineOf, withoutComments } from './files.mjs';

const MODULE_OF_PATH = /^server\/src\/modules\/(deposit\/[^/]+(?=\/)|[^/]+)\//;

/** The module that a file belongs to; the ways to deposit are modules of their own. Empty outside of modules. */
export const moduleOf = (path) => MODULE_OF_PATH.exec(path)?.[1] ?? '';

const COMPOSE = 'server/src/compose.ts';
const FACTORY = /\b([a-z]\w*)Module\(/g;

/** Which module knows which: by its imports and by what compose.ts hands to it. Answers a map from a module to the set of those. */
function knownModules(files) {
  const known = importedModules(files);
  const compose = files.find(({ path }) => path === COMPOSE)?.text ?? '';
  const modules = Array.from(compose.matchAll(/'\.\/modules\/([^']+)\/module\.ts'/g), ([, module]) => module);
  for (const { from, to } of composedArrows(files, modules)) add(known, from, to);
  return known;
}

/** Pairs of modules that know each other both ways, as `one ↔ other`. */
export function mutualPairs(files) {
  const known = knownModules(files);
  return [...known].flatMap(([one, others]) =>
    [...others].filter((other) => one < other && known.get(other)?.has(one)).map((other) => `${one} ↔ ${other}`),
  );
}

function importedModules(files) {
  const known = new Map();
  for (const { path, text } of files) {
    const from = moduleOf(path);
    if (from === '') continue;
    for (const [, imported] of text.matchAll(/from '(\.\.?\/[^']+)'/g)) {
      const to = moduleOf(posix.join(posix.dirname(path), imported));
      if (to !== '' && !from.startsWith(`${to}/`)) add(known, from, to);
    }
  }
  return known;
}

function add(known, from, to) {
  if (from === undefined || from === to) return;
  if (!known.has(from)) known.set(from, new Set());
  known.get(from).add(to);
}

/**
 * The arrows that `compose.ts` adds: a module whose factory is handed another module, a function of one or a closure over one
 * depends on it, whatever its own files import. A name stands for a module when it is the module's name, is imported from
 * its module.ts, or is a constant made of such names; what a factory returns stands for its module alone.
 * Answers `{from, to, line}`.
 */
export function composedArrows(files, modules) {
  const file = files.find(({ path }) => path === COMPOSE);
  if (!file) return [];
  const source = withoutComments(file.text);
  const known = new Map(modules.map((module) => [camel(module), new Set([module])]));
  for (const [, names, module] of source.matchAll(/import \{([^}]*)\} from '\.\/modules\/([^']+)\/module\.ts'/g)) {
    for (const name of names.split(',')) {
      const [, local] = /^(?!type )(?:\w+ as )?(\w+)$/.exec(name.trim()) ?? [];
      if (local && !local.endsWith('Module')) known.set(local, new Set([module]));
    }
  }
  for (const { names, value } of constants(source)) {
    if (names.some((name) => modules.some((module) => camel(module) === name))) continue;
    const made = [...value.matchAll(FACTORY)].map(([, name]) => name);
    const stands = new Set(
      made.length > 0 ? made.flatMap((name) => [...(known.get(name) ?? [])]) : meant(value, known),
    );
    for (const name of names) known.set(name, new Set([...(known.get(name) ?? []), ...stands]));
  }
  return [...source.matchAll(FACTORY)].flatMap((call) => {
    const [from] = known.get(call[1]) ?? [];
    if (!from) return [];
    const given = balanced(source, call.index + call[0].length);
    const line = lineOf(source, call.index);
    return [...meant(given, known)].filter((to) => to !== from).map((to) => ({ from, to, line }));
  });
}

const camel = (module) => posix.basename(module).replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Modules that the identifiers of an expression stand for; keys of literals and members after a dot are none. */
function meant(expression, known) {
  const found = new Set();
  for (const [, name] of expression.matchAll(/(?<![\w.'"`])([A-Za-z_]\w*)\b(?!\s*:)/g))
    for (const module of known.get(name) ?? []) found.add(module);
  for (const [, name] of expression.matchAll(/\.\.\.(\w+)/g))
    for (const module of known.get(name) ?? []) found.add(module);
  return found;
}

/** Every `const x = …;` and `const { x, y: z } = …;` of a source. */
function constants(source) {
  return [...source.matchAll(/\bconst (\w+|\{[^}]*\})(?:\s*:[^=]+?)?\s*=(?!>)\s*/g)].map((match) => {
    const [whole, target] = match;
    const names = target.startsWith('{')
      ? target
          .slice(1, -1)
          .split(',')
          .map((part) => part.split(':').at(-1).trim())
          .filter(Boolean)
      : [target];
    return { names, value: balanced(source, match.index + whole.length, ';') };
  });
}

/** The text from a position to the bracket that closes around it, or to `end` outside of all brackets. */
function balanced(source, from, end) {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at];
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth < 0 || (depth === 0 && sign === end)) return source.slice(from, at);
  }
  return source.slice(from);
}
