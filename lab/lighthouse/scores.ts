/** Categories of Lighthouse and the least score of each. */
export const leastScores = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 } as const;
export type Category = keyof typeof leastScores;
export const categories = Object.keys(leastScores) as Category[];

/** Metrics of the performance score: name in the table, and audit. */
export const metrics = {
  FCP: 'first-contentful-paint',
  LCP: 'largest-contentful-paint',
  TBT: 'total-blocking-time',
  CLS: 'cumulative-layout-shift',
  SI: 'speed-index',
} as const;
export type Metric = keyof typeof metrics;
const metricNames = Object.keys(metrics) as Metric[];

type Audit = { title: string; score: number | null; numericValue?: number };
/** The part of Lighthouse's JSON report that is read. */
export type LighthouseReport = {
  categories: Record<Category, { score: number | null; auditRefs: readonly { id: string; weight: number }[] }>;
  audits: Readonly<Record<string, Audit>>;
  runtimeError?: { message: string };
};

/** Medians of one page and theme, and the audits that cost points. */
export type PageScores = {
  page: string;
  theme: string;
  scores: Record<Category, number>;
  metrics: Record<Metric, number>;
  failedAudits: readonly string[];
};

const median = (values: readonly number[]): number =>
  values.toSorted((first, second) => first - second)[values.length >> 1] ?? Number.NaN;

/** A missing score counts as 0, so that an audit that could not run is noticed. */
const percentOf = (score: number | null): number => Math.round((score ?? 0) * 100);

/** Medians of all runs of one page and theme. */
export function medianScores(page: string, theme: string, reports: readonly LighthouseReport[]): PageScores {
  const scoreOf = (category: Category): number =>
    median(reports.map((report) => percentOf(report.categories[category].score)));
  const metricOf = (metric: Metric): number =>
    median(reports.map(({ audits }) => audits[metrics[metric]]?.numericValue ?? Number.NaN));
  return {
    page,
    theme,
    scores: Object.fromEntries(categories.map((category) => [category, scoreOf(category)])) as PageScores['scores'],
    metrics: Object.fromEntries(metricNames.map((metric) => [metric, metricOf(metric)])) as PageScores['metrics'],
    failedAudits: [...new Set(reports.flatMap(failedAuditsOf))],
  };
}

/** Audits with a weight and less than the full score, except the timings, which have columns of their own. */
function failedAuditsOf({ categories: reported, audits }: LighthouseReport): string[] {
  return categories.flatMap((category) =>
    reported[category].auditRefs
      .filter(({ id, weight }) => {
        const score = audits[id]?.score ?? null;
        return weight > 0 && score !== null && score < 1 && !Object.values<string>(metrics).includes(id);
      })
      .map(({ id }) => `${category}: ${id} (${audits[id]?.title ?? ''})`),
  );
}

export const tableHead = (): string => rowOf(['page', 'theme', ...categories, ...metricNames]);

export const tableRow = ({ page, theme, scores, metrics: values }: PageScores): string =>
  rowOf([
    page,
    theme,
    ...categories.map((category) => String(scores[category])),
    ...metricNames.map((metric) => (metric === 'CLS' ? values.CLS.toFixed(4) : String(Math.round(values[metric])))),
  ]);

const rowOf = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.padEnd(15))
    .join(' ')
    .trimEnd();

/** Whether the categories that do not depend on the machine's load reach their aims. */
export const isSteadyAimReached = ({ scores }: PageScores): boolean =>
  categories.every((category) => category === 'performance' || scores[category] >= leastScores[category]);
