import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiFailure } from '../src/api/errors.ts';
import { createCommand } from '../src/api/query/command.ts';
import { transferCommand } from '../src/shared/transfer.ts';

const HOME = { from: 'pg', to: 'WALLET', amount: 100, isAll: true };
const INTO = { from: 'WALLET', to: 'pg', amount: 100, isAll: true };

/** A transfer command whose first request gets no reply, and the keys that it sends. */
function createTransfer() {
  const keys: string[] = [];
  const command = createCommand(
    {
      ...transferCommand,
      waitForRefetch: false,
      invalidates: [],
      send: (_, { key }) => {
        keys.push(key);
        return keys.length === 1
          ? Promise.reject(new ApiFailure('no-answer', 0))
          : Promise.resolve({ reference: 'T1', status: 'DONE', amount: 100 });
      },
    },
    () => undefined,
    () => () => undefined,
  );
  return { ...command, keys };
}

test('a lost reply of money home does not become the outcome of a later one, after its popup was closed', async () => {
  const { send, reset, keys } = createTransfer();
  assert.equal((await send(HOME)).status, 'undecided');
  reset();
  // The first one then took effect, and the game was filled and played again.
  assert.equal((await send({ ...HOME, amount: 50 })).status, 'done');
  assert.notEqual(keys[0], keys[1]);
});

test('money home keeps its key while its popup is open, and money into a game also afterwards', async () => {
  const home = createTransfer();
  await home.send(HOME);
  await home.send({ ...HOME, amount: 0 });
  assert.equal(home.keys[0], home.keys[1]);
  const into = createTransfer();
  await into.send(INTO);
  into.reset();
  await into.send(INTO);
  assert.equal(into.keys[0], into.keys[1]);
});
