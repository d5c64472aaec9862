import { DATABASE_FAULTS } from './database-faults.mjs';
import { NODE_FAULTS } from './node-faults.mjs';
import { SESSION_FAULTS } from './session-faults.mjs';

/** Every fault of the tour. Those of one group never overlap; those of different groups do. */
export const GROUPS = { database: DATABASE_FAULTS, nodes: NODE_FAULTS, sessions: SESSION_FAULTS };
export const KINDS = Object.assign({}, ...Object.values(GROUPS));

/** The fault that an older version of the product is needed for. */
export const needsOlder = (wished) => wished.some((kind) => KINDS[kind].needsOlder);

/** The wished kinds of a group. @param hasOlder whether an older version of the product is there */
export function kindsOf(group, wished, hasOlder) {
  return wished.filter((kind) => Object.hasOwn(GROUPS[group], kind) && (hasOlder || !KINDS[kind].needsOlder));
}
