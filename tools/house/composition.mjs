import { withoutComments } from './files.mjs';

const COMPOSE = 'server/src/compose.ts';
const MODULE_OF_PATH = /^server\/src\/modules\/([^/]+)\//;

/**
 * Which module knows which: by its imports and by the closures and objects that compose.ts hands to it. An object that
 * is handed over counts with all that stands in it. Answers a map from a module to the set of those that it knows.
 */
export function knownModules(files) {
  const known = importedModules(files);
  const compose = files.find(({ path }) => path === COMPOSE);
  if (!compose) return known;
  const source = withoutComments(compose.text);
  const modules = importsOf(source);
  const shared = definitionsOf(functionsOf(source)[0] ?? '');
  for (const body of functionsOf(source)) {
    const local = definitionsOf(body);
    const names = { modules, definitions: new Map([...shared, ...local]) };
    for (const [, maker, start] of calls(body, modules)) {
      const from = modules.get(maker);
      for (const to of mentioned(body.slice(start, endOf(body, start)), names, new Set())) add(known, from, to);
    }
  }
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
    const from = MODULE_OF_PATH.exec(path)?.[1];
    if (!from) continue;
    for (const [, to] of text.matchAll(/from '(?:\.\.\/)+(?:modules\/)?([a-z-]+)\/module\.ts'/g)) {
      if (!['ledger', 'settlement'].includes(to)) add(known, from, to);
    }
  }
  return known;
}

function add(known, from, to) {
  if (from === undefined || from === to) return;
  if (!known.has(from)) known.set(from, new Set());
  known.get(from).add(to);
}

// Values that compose.ts imports from modules, types left out.
function importsOf(source) {
  const names = new Map();
  for (const [, list, module] of source.matchAll(/import \{([^}]*)\} from '\.\/modules\/([a-z-]+)\/module\.ts'/g)) {
    for (const word of list.split(',').map((item) => item.trim())) {
      if (word !== '' && !word.startsWith('type ')) names.set(word, module);
    }
  }
  return names;
}

const functionsOf = (source) => source.split(/^(?=(?:export )?(?:async )?function )/m).slice(1);

// `const name = …;` and `const { name } = …;` of a function: what the name stands for.
function definitionsOf(body) {
  const definitions = new Map();
  for (const match of body.matchAll(/\bconst (\w+|\{[^}]*\})(?:: [^=]*?(?:=>[^=]*?)?)? = /g)) {
    const start = match.index + match[0].length;
    const value = body.slice(start, endOf(body, start, ';'));
    for (const name of match[1].match(/\w+/g) ?? []) definitions.set(name, value);
  }
  return definitions;
}

function calls(body, modules) {
  return [...body.matchAll(/\b(\w+Module)\(/g)]
    .filter(([, maker]) => modules.has(maker))
    .map((match) => [match[0], match[1], match.index + match[0].length]);
}

// The end of what begins at `start`: the closing bracket, or `stop` outside of all brackets.
function endOf(text, start, stop) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if ('([{'.includes(text[at])) depth += 1;
    if (')]}'.includes(text[at])) depth -= 1;
    if (depth < 0 || (depth === 0 && text[at] === stop)) return at;
  }
  return text.length;
}

// Modules that an expression names, itself or through a name defined above it. A made module stands for itself alone.
function mentioned(expression, names, seen) {
  const found = new Set();
  for (const [, name] of expression.matchAll(/(?<![.\w])(?:\.\.\.)?([A-Za-z_]\w*)\b(?!\s*:(?!:))/g)) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (names.modules.has(name)) found.add(names.modules.get(name));
    const value = names.definitions.get(name);
    if (value === undefined) continue;
    const maker = /^(?:await )?(\w+Module)\(/.exec(value)?.[1];
    if (maker && names.modules.has(maker)) found.add(names.modules.get(maker));
    else for (const module of mentioned(value, names, seen)) found.add(module);
  }
  return found;
}
