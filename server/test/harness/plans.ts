import type { Database, Queryable } from '../../src/platform/database/database.ts';

/** Runs statements and keeps their plans; of a prepared one also the generic plan, which it may have from its sixth call on. */
export type Explaining = Queryable & { plans: string[] };

export function explaining(database: Database): Explaining {
  const plans: string[] = [];
  const explain = async (text: string, values?: readonly unknown[]): Promise<void> => {
    const { rows } = await database.query<{ 'QUERY PLAN': string }>(text, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  };
  return {
    plans,
    async query(text, values, options) {
      await explain(`explain ${text}`, values);
      if (options?.name !== undefined) await explain(`explain (generic_plan) ${text}`);
      return database.query(text, values, options);
    },
  };
}
