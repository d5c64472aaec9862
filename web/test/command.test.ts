import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ApiFailure } from '../src/api/errors.ts';
import { type CommandOptions, type CommandState, createCommand } from '../src/api/query/command.ts';
import type { onMemberEvent } from '../src/api/query/member-events.ts';

type Reply = { reference: string; isPending?: boolean };
type Call = {
  input: number;
  key: string;
  quiet: boolean;
  reply: (reply: Reply) => void;
  fail: (failure: unknown) => void;
};
type Listener = Parameters<typeof onMemberEvent>[0];

const LOST = new ApiFailure('no-answer', 0);
const OFFLINE = new ApiFailure('offline', 0);
const REFUSED = new ApiFailure('INSUFFICIENT_BALANCE', 409);

/** A command whose requests are answered by the test. */
function harness(options: Partial<CommandOptions<number, Reply>> = {}) {
  const calls: Call[] = [];
  const states: CommandState<number, Reply>[] = [];
  const results: string[] = [];
  const listeners = new Set<Listener>();
  const command = createCommand<number, Reply>(
    {
      send: (input, { key, quiet }) =>
        new Promise((reply, fail) => {
          calls.push({ input, key, quiet, reply, fail });
        }),
      follow: (reply) => (reply.isPending ? reply.reference : undefined),
      invalidates: [],
      onResult: ({ status }) => results.push(status),
      ...options,
    },
    (state) => states.push(state),
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  );
  const callAt = (index: number): Call => calls.at(index) ?? assert.fail(`only ${calls.length} calls`);
  const emit = (reference: string, state: string): void => {
    for (const listener of listeners) listener({ reference, state } as Parameters<Listener>[0]);
  };
  return { command, calls, callAt, states, results, listeners, emit, status: () => states.at(-1)?.status };
}

/** Sends a command and settles its request. */
async function attempt({ command, callAt }: ReturnType<typeof harness>, input: number, failure?: unknown) {
  const sent = command.send(input);
  if (failure === undefined) callAt(-1).reply({ reference: 'r1' });
  else callAt(-1).fail(failure);
  await sent;
  return callAt(-1).key;
}

/** A command whose outcome is pending, with mocked timers. */
async function pending(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const made = harness();
  const sent = made.command.send(5);
  made.callAt(-1).reply({ reference: 'r1', isPending: true });
  await sent;
  assert.equal(made.status(), 'processing');
  return made;
}

test('a second command is ignored while a request is in flight', async () => {
  const made = harness();
  const first = made.command.send(5);
  await made.command.send(5);
  await made.command.send(6);
  assert.equal(made.calls.length, 1);
  made.callAt(0).reply({ reference: 'r1' });
  await first;
  assert.deepEqual(
    made.states.map(({ status }) => status),
    ['sending', 'done'],
  );
});

test('a command without a reply keeps its key until a reply arrives', async () => {
  const made = harness();
  const key = await attempt(made, 5, LOST);
  assert.equal(made.status(), 'undecided');
  // Not sent, but the first attempt may have been executed.
  assert.equal(await attempt(made, 5, OFFLINE), key);
  assert.equal(made.status(), 'undecided');
  assert.equal(await attempt(made, 5, new ApiFailure('REQUEST_LIMIT', 503)), key);
  assert.equal(made.status(), 'undecided');
  assert.equal(await attempt(made, 5), key);
  assert.equal(made.status(), 'done');
  assert.notEqual(await attempt(made, 5), key);
});

test('a refusal ends the command: the next one has another key', async () => {
  const made = harness();
  const key = await attempt(made, 5, REFUSED);
  assert.equal(made.status(), 'failed');
  assert.notEqual(await attempt(made, 5), key);
});

test('a first attempt that was not sent has failed', async () => {
  const made = harness();
  await attempt(made, 5, OFFLINE);
  assert.equal(made.status(), 'failed');
});

test('another input is another command with its own key', async () => {
  const made = harness();
  const key = await attempt(made, 5, LOST);
  assert.notEqual(await attempt(made, 6, LOST), key);
});

test('inputs with the same identity share a key', async () => {
  const made = harness({ identity: () => 'all' });
  const key = await attempt(made, 5, LOST);
  assert.equal(await attempt(made, 6, LOST), key);
});

test('retry sends the same input with the same key', async () => {
  const made = harness();
  const key = await attempt(made, 5, LOST);
  made.command.retry();
  assert.deepEqual([made.callAt(-1).input, made.callAt(-1).key, made.callAt(-1).quiet], [5, key, false]);
});

test('a pending command is repeated quietly with its key, with back-off, until its outcome', async (t) => {
  const made = await pending(t);
  const { key } = made.callAt(0);
  t.mock.timers.tick(1_999);
  assert.equal(made.calls.length, 1);
  t.mock.timers.tick(1);
  assert.equal(made.calls.length, 2);
  made.callAt(1).fail(LOST);
  await turn();
  assert.equal(made.status(), 'processing');
  t.mock.timers.tick(4_000);
  made.callAt(2).reply({ reference: 'r1' });
  await turn();
  assert.equal(made.status(), 'done');
  for (const repeated of made.calls.slice(1)) assert.deepEqual([repeated.key, repeated.quiet], [key, true]);
  t.mock.timers.tick(60_000);
  made.emit('r1', 'SUCCESS');
  assert.equal(made.calls.length, 3);
  assert.equal(made.listeners.size, 0);
  assert.deepEqual(made.results, ['processing', 'done']);
});

test('an event with the reference repeats immediately, one request at a time', async (t) => {
  const made = await pending(t);
  made.emit('r2', 'SUCCESS');
  made.emit('r1', 'PROCESSING');
  assert.equal(made.calls.length, 1);
  made.emit('r1', 'SUCCESS');
  made.emit('r1', 'SUCCESS');
  assert.equal(made.calls.length, 2);
  // The reply may be older than the second event.
  made.callAt(1).reply({ reference: 'r1', isPending: true });
  await turn();
  assert.equal(made.calls.length, 3);
  made.callAt(2).fail(REFUSED);
  await turn();
  assert.equal(made.status(), 'failed');
});

test('reset stops following, and the command keeps its key', async (t) => {
  const made = await pending(t);
  made.command.reset();
  assert.equal(made.status(), 'idle');
  t.mock.timers.tick(60_000);
  made.emit('r1', 'SUCCESS');
  assert.equal(made.calls.length, 1);
  assert.equal(await attempt(made, 5), made.callAt(0).key);
});

test('a result after unmount is reported, but neither displayed nor followed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const made = harness();
  const sent = made.command.send(5);
  made.command.stop();
  made.callAt(0).reply({ reference: 'r1', isPending: true });
  await sent;
  assert.deepEqual(made.results, ['processing']);
  assert.equal(made.status(), 'sending');
  assert.equal(made.listeners.size, 0);
});
