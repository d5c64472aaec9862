/** The layers of the web app: ui, format ← api ← shared/<word> ← features/<word> ← layouts, routes ← main. */

const LAYERS = {
  ui: ['ui', 'format', 'i18n'],
  format: ['format', 'i18n'],
  api: ['api', 'i18n'],
  shared: ['shared', 'api', 'routing', 'ui', 'format', 'i18n'],
  features: ['features', 'shared', 'api', 'routing', 'ui', 'format', 'i18n', 'styles'],
};

/** What a layer never reaches, directly or through other files. A type that another file imports counts for that file only. */
const BEYOND_REACH = {
  ui: {
    what: /^package:(wouter|@tanstack)|^contract\/(?!src\/text\/)|^web\/src\/(api|routing)\//,
    why: 'ui knows no router, query or contract but its text/',
  },
  format: {
    what: /^package:(wouter|@tanstack)|^contract\/(?!src\/text\/)|^web\/src\/(api|routing)\//,
    why: 'format knows no router, query or contract but its text/',
  },
  api: {
    what: /^package:wouter|^web\/src\/(ui|routing)\//,
    why: 'api only transports: it shows nothing and goes nowhere',
  },
};

/** The one file that is not part of the production app. */
const DEVELOPMENT_ONLY = 'web/src/api/contract-check.ts';

const layerOf = (path) => /^web\/src\/([^/]+)\//.exec(path)?.[1] ?? '';
const featureOf = (path) => /^web\/src\/features\/([^/]+)\//.exec(path)?.[1] ?? '';

/** @param edges imports of all files, as `{from, to, line, isType}`. Answers sentences. */
export function checkWeb(edges) {
  const own = edges.filter(({ from }) => from.startsWith('web/src/'));
  return [...own.flatMap(direct), ...own.flatMap(schemaLibrary), ...outOfReach(own)];
}

const say = ({ from, to, line }, why) => [`${from}:${line} imports ${to}: ${why}.`];

function direct(edge) {
  const [from, to] = [layerOf(edge.from), layerOf(edge.to)];
  const beyond = BEYOND_REACH[from];
  if (beyond?.what.test(edge.to)) return say(edge, beyond.why);
  if (LAYERS[from] && to && !LAYERS[from].includes(to))
    return say(edge, `${from} may import ${LAYERS[from].join(', ')} only`);
  const [one, other] = [featureOf(edge.from), featureOf(edge.to)];
  return one && other && one !== other ? say(edge, 'a feature never imports a feature') : [];
}

/** The schema library, and what of the contract exists to use it at run time. */
function schemaLibrary(edge) {
  const loads = edge.to.startsWith('package:zod') || edge.to === 'contract/src/wire-faults.ts';
  if (!loads || edge.from === DEVELOPMENT_ONLY) return [];
  return say(edge, 'the browser never loads the schema library');
}

/** Each layer's files, followed through what they import at run time. */
function outOfReach(edges) {
  const next = new Map();
  for (const edge of edges) {
    if (edge.isType || edge.to === DEVELOPMENT_ONLY) continue;
    next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  return [...next.keys()].flatMap((start) => {
    const beyond = BEYOND_REACH[layerOf(start)];
    const way = beyond && wayTo(start, beyond.what, next);
    // Direct imports are reported above.
    return way && way.length > 2 ? [`${way.join(' → ')}: ${beyond.why}.`] : [];
  });
}

/** The shortest way from a file to what it must not reach; undefined without one. */
function wayTo(start, what, next) {
  const seen = new Set([start]);
  const ways = [[start]];
  for (const way of ways) {
    for (const to of next.get(way.at(-1)) ?? []) {
      if (what.test(to)) return [...way, to];
      if (seen.has(to)) continue;
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return undefined;
}
