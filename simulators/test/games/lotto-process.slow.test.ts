import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { outsideFor, temporaryFolder } from '../harness.ts';
import { drawNow, gambler, Gambler } from './lotto.ts';
import { playerBalance } from './players.ts';
import { ended, ready } from '../process.ts';

test('a lotto that is killed before, within and after a draw pays every ticket exactly once', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const first = await ready(t, env);
  const mali = await gambler(first.address, 'mali01', '100.00');
  const winning = await mali.sold([{ kind: 'top2', number: '17', stake: 1000 }], 'killed-before');
  const losing = await mali.sold([{ kind: 'top2', number: '71', stake: 1000 }], 'killed-before-2');
  // Due while the process is down: it is drawn at the next start, with the planned result.
  await drawNow(first.address, { result: '882917', afterMs: 1 });
  first.child.kill('SIGKILL');
  await ended(first.child);

  const second = await ready(t, env);
  const back = new Gambler(second.address, mali.token);
  assert.equal((await back.ticket(winning.id)).win, '950.00');
  assert.equal((await back.ticket(losing.id)).win, '0.00');
  assert.equal(await playerBalance(second.address, 'askmebet', 'mali01'), '1030.00');
  const between = await back.sold([{ kind: 'runTop', number: '5', stake: 1000 }], 'killed-within');
  second.child.kill('SIGKILL');
  await ended(second.child);

  // The state on disk when the process ends between the result and the payment.
  const database = new DatabaseSync(join(folder, 'simulators.sqlite'));
  const drawn = database
    .prepare(
      "update lotto_draw set result = '000005', drawn_at = draw_at where result is null and provider = 'askmebet'",
    )
    .run();
  assert.equal(drawn.changes, 1);
  database.close();
  for (let start = 0; start < 2; start++) {
    const third = await ready(t, env);
    assert.equal((await new Gambler(third.address, mali.token).ticket(between.id)).win, '32.00');
    assert.equal(await playerBalance(third.address, 'askmebet', 'mali01'), '1052.00');
    third.child.kill('SIGKILL');
    await ended(third.child);
  }
});
