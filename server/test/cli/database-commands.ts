import type { CommandName } from '../../src/cli/krapao.ts';

/** Each command that uses the database, with arguments that it accepts; without doctor and the copies of a database. */
export const DATABASE_COMMANDS: readonly (readonly [CommandName, ...string[]])[] = [
  ['migrate'],
  ['reencrypt'],
  ['audit'],
  ['reconcile'],
  ['operator-log'],
  ['queues'],
  ['transfers'],
  ['payouts'],
  ['deposits'],
  ['arrivals'],
  ['slips'],
  ['chat'],
  ['config', 'show', 'banks'],
  ['offers'],
  ['switches'],
  ['members', 'show', '0812345678'],
  ['bank-accounts'],
  ['coins', '0812345678'],
  ['wheel'],
];
