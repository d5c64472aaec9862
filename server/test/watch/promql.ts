/** Words of the query language that are no metric, and functions, which are followed by a bracket. */
const WORDS = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'bool']);

/** Names of the metrics that a query of Prometheus reads. */
export function metricsOf(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names = [...bare.matchAll(/(?<![\w.])([a-z_][\w:]*)\b(?!\s*\()/gi)].map(([, name = '']) => name);
  return names.filter((name) => !WORDS.has(name));
}
