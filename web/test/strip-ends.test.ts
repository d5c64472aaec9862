import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ended, leavingItems, type PendingItem, shownEnd } from '../src/features/money/strip-ends.ts';

const end = (key: string, tone: Ended['tone']) => ({ key, tone }) as Ended;
const item = (key: string) => ({ key }) as PendingItem;

test('a failure stays in the strip although a success follows it or arrives with it', () => {
  const failed = end('W1', 'bad');
  assert.equal(shownEnd(failed, [end('D1', 'good')]), failed);
  assert.equal(shownEnd(undefined, [failed, undefined, end('D1', 'good')]), failed);
  assert.equal(shownEnd(failed, [end('W2', 'bad')])?.key, 'W2');
  assert.equal(shownEnd(end('D1', 'good'), [undefined, end('D2', 'good')])?.key, 'D2');
  assert.equal(shownEnd(failed, [undefined]), failed);
});

test('an item whose outcome is being loaded is kept when the list changes again', () => {
  const [withdrawal, deposit] = [item('W1'), item('D1')];
  const first = leavingItems({ items: [withdrawal], leaving: [] }, [], true);
  assert.deepEqual(first, [withdrawal]);
  assert.deepEqual(leavingItems({ items: [], leaving: first }, [deposit], true), [withdrawal]);
  assert.deepEqual(leavingItems({ items: [], leaving: first }, [withdrawal], true), []);
});
