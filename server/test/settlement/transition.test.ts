import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as states from '@krapao/contract/states';
import { assertTransition, statesBefore } from '../../src/platform/state-machine.ts';
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';

/** Every transition table of the contract, by its database table with the column `state`. */
const TRANSITION_TABLES: Readonly<Record<string, states.Transitions>> = {
  config_version: states.configTransitions,
  deposit_arrival: states.arrivalTransitions,
  spinwheel_coupon: states.couponTransitions,
  deposit_bonus: states.depositBonusTransitions,
  deposit_announcement: states.announcementTransitions,
  game_account: states.gameAccountTransitions,
  truelink_gift: states.giftTransitions,
  incentive_condition: states.conditionTransitions,
  incentive_grant: states.grantTransitions,
  otp: states.otpTransitions,
  qrcode: states.qrcodeTransitions,
  slip: states.slipTransitions,
  statement_export: states.exportTransitions,
  spinwheel_seed: states.seedTransitions,
  transfer_leg: states.transferTransitions,
  withdraw: states.withdrawTransitions,
};

let fresh: FreshDatabase;
before(async () => {
  fresh = await freshDatabase();
});
after(() => fresh.dropDatabase());

describe('the state guard', () => {
  const LAMP_TRANSITIONS = { OFF: ['ON'], ON: ['OFF', 'BROKEN'], BROKEN: [] } as const;

  test('the state guard permits the steps of the table, and throws at any other', () => {
    assertTransition(LAMP_TRANSITIONS, 'OFF', 'ON');
    for (const [from, to] of [
      ['OFF', 'BROKEN'],
      ['BROKEN', 'ON'],
      ['ON', 'ON'],
    ] as const) {
      assert.throws(() => assertTransition(LAMP_TRANSITIONS, from, to), new RegExp(`${from} to ${to}`));
    }
  });

  test('the sources of a state are all that may become it, or the named ones', () => {
    const changedTransitions = { ...LAMP_TRANSITIONS, ON: ['OFF', 'BROKEN'], DIM: ['OFF'] } as const;
    assert.deepEqual(statesBefore(changedTransitions, 'OFF'), ['ON', 'DIM']);
    assert.deepEqual(statesBefore(changedTransitions, 'OFF', 'DIM'), ['DIM']);
    assert.throws(() => statesBefore(changedTransitions, 'OFF', 'BROKEN'), /BROKEN to OFF/);
  });
});

describe('the state tables of the contract', () => {
  test('each state table lists exactly the states that the database accepts', async () => {
    const { rows } = await fresh.database.query<{ relation: string; rule: string }>(
      `select c.conrelid::regclass::text as relation, pg_get_constraintdef(c.oid) as rule
         from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attname = 'state'
        where c.contype = 'c' and c.conname like '%\\_state%' and c.conrelid = any($1::regclass[])`,
      [Object.keys(TRANSITION_TABLES)],
    );
    for (const [relation, transitions] of Object.entries(TRANSITION_TABLES)) {
      const checkRule = rows.find((row) => row.relation === relation)?.rule ?? '';
      const [first = ''] = checkRule.split(' AND ');
      const acceptedStates = new Set(Array.from(first.matchAll(/'(\w+)'/g), ([, state]) => state));
      assert.deepEqual(acceptedStates, new Set(Object.keys(transitions)), relation);
    }
  });

  test('every database column `state` has a table in the contract; the ledger has a type', async () => {
    const { rows } = await fresh.database.query<{ relation: string }>(
      `select c.oid::regclass::text as relation from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.attname = 'state' and not a.attisdropped and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        order by 1`,
    );
    assert.deepEqual(
      rows.map(({ relation }) => relation),
      Object.keys(TRANSITION_TABLES).toSorted(),
    );
  });

  test('every state table of the contract is tested, and each step leads to a state of its table', () => {
    const exportedTables = Object.entries(states).filter(([name]) => name.endsWith('Transitions'));
    assert.equal(exportedTables.length, Object.keys(TRANSITION_TABLES).length);
    for (const [name, table] of exportedTables) {
      const transitions = table as states.Transitions;
      for (const nextState of Object.values(transitions).flat())
        assert.ok(nextState in transitions, `${name}: ${nextState}`);
    }
  });
});
