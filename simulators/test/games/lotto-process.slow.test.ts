import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { outsideFor, temporaryFolder } from '../harness.ts';
import { ended, ready } from '../process.ts';
import { drawNow, openLottoPlayer, LottoPlayer } from './lotto.ts';
import { playerBalance } from './players.ts';

test('a lotto that is killed before, within and after a draw pays every ticket exactly once', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const firstProcess = await ready(t, env);
  const mali = await openLottoPlayer(firstProcess.address, 'mali01', '100.00');
  const winningTicket = await mali.sold([{ kind: 'top2', number: '17', stake: 1000 }], 'killed-before');
  const losingTicket = await mali.sold([{ kind: 'top2', number: '71', stake: 1000 }], 'killed-before-2');
  // Due while the process is down: the next start draws it, with the planned result.
  await drawNow(firstProcess.address, { result: '882917', afterMs: 1 });
  firstProcess.child.kill('SIGKILL');
  await ended(firstProcess.child);

  const secondProcess = await ready(t, env);
  const returningPlayer = new LottoPlayer(secondProcess.address, mali.token);
  assert.equal((await returningPlayer.ticket(winningTicket.id)).win, '950.00');
  assert.equal((await returningPlayer.ticket(losingTicket.id)).win, '0.00');
  assert.equal(await playerBalance(secondProcess.address, 'askmebet', 'mali01'), '1030.00');
  const pendingTicket = await returningPlayer.sold([{ kind: 'runTop', number: '5', stake: 1000 }], 'killed-within');
  secondProcess.child.kill('SIGKILL');
  await ended(secondProcess.child);

  // State on disk when the process ends between the result and the payment.
  const database = new DatabaseSync(join(folder, 'simulators.sqlite'));
  const drawnRow = database
    .prepare(
      "update lotto_draw set result = '000005', drawn_at = draw_at where result is null and provider = 'askmebet'",
    )
    .run();
  assert.equal(drawnRow.changes, 1);
  database.close();
  for (let start = 0; start < 2; start++) {
    const thirdProcess = await ready(t, env);
    assert.equal((await new LottoPlayer(thirdProcess.address, mali.token).ticket(pendingTicket.id)).win, '32.00');
    assert.equal(await playerBalance(thirdProcess.address, 'askmebet', 'mali01'), '1052.00');
    thirdProcess.child.kill('SIGKILL');
    await ended(thirdProcess.child);
  }
});
