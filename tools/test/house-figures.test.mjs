import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutualPairs } from '../house/composition.mjs';
import { measures } from '../house/figures/measures.mjs';
import { compareWithRecord, readRecord } from '../house/figures/record.mjs';

const count = (id, files) => measures.find((measure) => measure.id === id).count(files);

const COMPOSE = `import { walletModule } from './modules/wallet/module.ts';
import { gameModule } from './modules/game/module.ts';
export function compose() {
  const assertOpen = (id: string): Promise<void> => wallet.assertOpen(id);
  const access = { assertOpen };
  const game = gameModule({ ...access });
  const wallet = walletModule({ slots: game.list });
}
`;

test('modules that know each other through closures of compose.ts are a pair', () => {
  assert.deepEqual(mutualPairs([{ path: 'server/src/compose.ts', text: COMPOSE }]), ['game ↔ wallet']);
  const oneWay = COMPOSE.replace('{ ...access }', '{}');
  assert.deepEqual(mutualPairs([{ path: 'server/src/compose.ts', text: oneWay }]), []);
});

test('a name counts once it has two meanings in one workspace, or one in the contract and another elsewhere', () => {
  const declare = (...paths) => paths.map((path) => ({ path, text: 'export type Arrival = string;\n' }));
  const names = (...paths) => count('exported names with several meanings', declare(...paths));
  assert.equal(names('server/src/a.ts', 'server/src/b.ts'), 1);
  assert.equal(names('contract/src/a.ts', 'web/src/a.ts'), 1);
  assert.equal(names('server/src/a.ts', 'web/src/a.ts'), 0);
});

test('comments are not counted, crowded folders and unread state tables are', () => {
  const refuse = `throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });`;
  const file = (text) => [{ path: 'server/src/modules/transfer/request.ts', text }];
  assert.equal(count('idempotent commands', file(refuse)), 1);
  assert.equal(count('idempotent commands', file(`// ${refuse}`)), 0);
  const crowd = Array.from({ length: 16 }, (_, n) => ({ path: `web/src/ui/part-${n}.tsx`, text: '' }));
  assert.equal(count('folders with more than 15 programs', crowd), 1);
  assert.equal(count('folders with more than 15 programs', crowd.slice(1)), 0);
  const withReadme = (text) => [...crowd, { path: 'web/src/ui/README.md', text }];
  assert.equal(count('folders with more than 15 programs', withReadme('# Parts\n\nMore than 15 programs: yes\n')), 1);
  const reason = 'More than 15 programs: each is one part of a page, imported by its name from everywhere.';
  assert.equal(count('folders with more than 15 programs', withReadme(`# Parts\n\n${reason}\n`)), 0);
  const states = { path: 'contract/src/states.ts', text: 'export const slipTransitions = {} as const;' };
  const reader = { path: 'server/src/guard.ts', text: 'slipTransitions' };
  assert.equal(count('state tables the server does not read', [states]), 1);
  assert.equal(count('state tables the server does not read', [states, reader]), 0);
});

test('a figure above the recorded one is refused, one below it is not, and each measure has its figure', () => {
  const record = readRecord();
  const figures = new Map([...record].map(([id, { recorded }]) => [id, recorded]));
  assert.deepEqual(compareWithRecord(figures, record), []);
  const id = 'state guards';
  const { recorded } = record.get(id);
  assert.deepEqual(compareWithRecord(new Map(figures).set(id, recorded - 1), record), []);
  assert.equal(compareWithRecord(new Map(figures).set(id, recorded + 1), record).length, 1);
  const without = new Map([...record].filter(([name]) => name !== id));
  assert.equal(compareWithRecord(figures, without).length, 1);
});
