/** Keywords of the query language, which are not metrics. A function is followed by a bracket. */
const PROMQL_KEYWORDS = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'bool',
]);

/** Metric names in a Prometheus query. */
export function metricNamesIn(query: string): string[] {
  const bareQuery = query
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = [...bareQuery.matchAll(/(?<![\w.])([a-z_][\w:]*)\b(?!\s*\()/gi)].map(([, name = '']) => name);
  return names.filter((name) => !PROMQL_KEYWORDS.has(name));
}
