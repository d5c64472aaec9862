import type { Database, Queryable } from '../../src/platform/database/database.ts';

/**
 * Runs statements and records their plans; for a prepared statement also the generic plan, which PostgreSQL may use
 * from the sixth execution on.
 */
export type ExplainingQueryable = Queryable & { plans: string[] };

export function recordQueryPlans(database: Database): ExplainingQueryable {
  const plans: string[] = [];
  const recordPlan = async (text: string, values?: readonly unknown[]): Promise<void> => {
    const { rows } = await database.query<{ 'QUERY PLAN': string }>(text, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  };
  return {
    plans,
    async query(text, values, options) {
      await recordPlan(`explain ${text}`, values);
      if (options?.name !== undefined) await recordPlan(`explain (generic_plan) ${text}`);
      return database.query(text, values, options);
    },
  };
}
