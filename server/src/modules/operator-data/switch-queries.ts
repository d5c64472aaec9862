import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { Signature } from '../../platform/operator-log.ts';
import type { SwitchSubjects } from './switch.ts';

export type SwitchRow = { name: string; isStopped: boolean; reason: string; by: string; at: Date };

/** Every switch that was ever stopped. */
export async function selectSwitches(on: Queryable): Promise<SwitchRow[]> {
  const { rows } = await on.query<SwitchRow>(
    'select name, is_stopped as "isStopped", reason, by, at from operator_data_switch order by name',
  );
  return rows;
}

/** Gateways, banks, games and providers that operators can stop, enabled or not. */
export async function selectSwitchSubjects(on: Queryable): Promise<SwitchSubjects> {
  const { rows } = await on.query<{ key: keyof SwitchSubjects; subject: string }>(
    `select 'deposit.qrcode:' as key, bank_code as subject from deposit_account where bank_type = 'PAYMENT'
     union select 'deposit.bank-transfer:', bank_code from deposit_account where bank_type = 'BANK'
     union select 'game:', code from game
     union select 'lobby:', code from game
     union select 'provider:', provider from game
     order by key, subject`,
  );
  const subjects: Partial<Record<keyof SwitchSubjects, string[]>> = {};
  for (const { key, subject } of rows) (subjects[key] ??= []).push(subject);
  return subjects;
}

/** Stops or starts. Concurrent calls wait for each other. @returns false if the switch has this state already */
export async function saveSwitch(
  tx: Tx,
  { name, isStopped, by, why }: { name: string; isStopped: boolean } & Signature,
): Promise<boolean> {
  // A switch without a row is open.
  const { rowCount } = await tx.query(
    `insert into operator_data_switch as s (name, is_stopped, reason, by)
     select $1, $2, $3, $4 where $2 or exists (select from operator_data_switch k where k.name = $1)
     on conflict (name) do update set is_stopped = excluded.is_stopped, reason = excluded.reason, by = excluded.by,
       at = clock_timestamp() where s.is_stopped <> excluded.is_stopped`,
    [name, isStopped, why, by],
  );
  return rowCount === 1;
}
