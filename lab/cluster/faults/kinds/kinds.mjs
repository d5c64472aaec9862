import { DATABASE_FAULTS } from './database-faults.mjs';
import { NODE_FAULTS } from './node-faults.mjs';
import { SESSION_FAULTS } from './session-faults.mjs';

/** All faults. Faults of one group never overlap; those of different groups do. */
export const GROUPS = { database: DATABASE_FAULTS, nodes: NODE_FAULTS, sessions: SESSION_FAULTS };
export const KINDS = Object.assign({}, ...Object.values(GROUPS));

/** Whether a selected fault needs an older version of the product. */
export const needsOlder = (selected) => selected.some((kind) => KINDS[kind].needsOlder);

/** The selected kinds of a group. @param hasOlder whether there is an older version of the product */
export function kindsOf(group, selected, hasOlder) {
  return selected.filter((kind) => Object.hasOwn(GROUPS[group], kind) && (hasOlder || !KINDS[kind].needsOlder));
}
