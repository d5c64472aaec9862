import type { Queryable } from '../../platform/database/database.ts';

export type MemberCount = { code: string; members: number };

/** Members with an account at each of these banks; a bank without members is left out. */
export async function countMembersByBank(on: Queryable, codes: readonly string[]): Promise<MemberCount[]> {
  const { rows } = await on.query<MemberCount>(
    `select bank_code as code, count(*)::int as members from member_bank_account where bank_code = any($1)
      group by bank_code order by bank_code`,
    [codes],
  );
  return rows;
}

/** Members who found the site by each of these sources; a source without members is left out. */
export async function countMembersBySource(on: Queryable, codes: readonly string[]): Promise<MemberCount[]> {
  const { rows } = await on.query<MemberCount>(
    `select source_code as code, count(*)::int as members from member where source_code = any($1)
      group by source_code order by source_code`,
    [codes],
  );
  return rows;
}
