import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem({ gameTab: 'same', simulators: false });
});
after(() => system.stop());

test("games open in the app's own tab if the operator has set GAME_TAB", async () => {
  const { status, body } = await system.api('GET /api/lookup/info');
  assert.equal(status, 200);
  assert.equal((body as { gameTab: string }).gameTab, 'same');
});
