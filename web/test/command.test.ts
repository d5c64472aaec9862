import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ApiFailure } from '../src/api/errors.ts';
import { type CommandOptions, type CommandState, createCommand } from '../src/api/query/command.ts';
import type { onMemberEvent } from '../src/api/query/member-events.ts';

type TestReply = { reference: string; isPending?: boolean };
type SentCall = {
  input: number;
  key: string;
  quiet: boolean;
  signal: AbortSignal;
  reply: (reply: TestReply) => void;
  fail: (failure: unknown) => void;
};
type Listener = Parameters<typeof onMemberEvent>[0];

const NO_REPLY = new ApiFailure('no-answer', 0);
const OFFLINE_FAILURE = new ApiFailure('offline', 0);
const REFUSAL = new ApiFailure('INSUFFICIENT_BALANCE', 409);

/** Creates a command whose requests the test replies to. */
function createTestCommand(options: Partial<CommandOptions<number, TestReply>> = {}) {
  const calls: SentCall[] = [];
  const states: CommandState<number, TestReply>[] = [];
  const results: string[] = [];
  const listeners = new Set<Listener>();
  const command = createCommand<number, TestReply>(
    {
      send: (input, attempt) =>
        new Promise((reply, reject) => {
          calls.push({ input, ...attempt, reply, fail: reject });
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
  const callAt = (index: number): SentCall => calls.at(index) ?? assert.fail(`only ${calls.length} calls`);
  const emit = (reference: string, state: string): void => {
    for (const listener of listeners) listener({ reference, state } as Parameters<Listener>[0]);
  };
  return { command, calls, callAt, states, results, listeners, emit, status: () => states.at(-1)?.status };
}

/** Sends a command and settles its request with a reply or a failure. */
async function sendAndSettle(
  { command, callAt }: ReturnType<typeof createTestCommand>,
  input: number,
  failure?: unknown,
) {
  const result = command.send(input);
  if (failure === undefined) callAt(-1).reply({ reference: 'r1' });
  else callAt(-1).fail(failure);
  await result;
  return callAt(-1).key;
}

/** Creates a command with a pending outcome, and mocks the timers. */
async function createPendingCommand(t: TestContext, options: Partial<CommandOptions<number, TestReply>> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const testCommand = createTestCommand(options);
  const result = testCommand.command.send(5);
  testCommand.callAt(-1).reply({ reference: 'r1', isPending: true });
  await result;
  assert.equal(testCommand.status(), 'processing');
  return testCommand;
}

test('useCommand ignores a second command while a request is in flight', async () => {
  const testCommand = createTestCommand();
  const firstResult = testCommand.command.send(5);
  await testCommand.command.send(5);
  await testCommand.command.send(6);
  assert.equal(testCommand.calls.length, 1);
  testCommand.callAt(0).reply({ reference: 'r1' });
  await firstResult;
  assert.deepEqual(
    testCommand.states.map(({ status }) => status),
    ['sending', 'done'],
  );
});

test('a command without a reply keeps its key until a reply arrives', async () => {
  const testCommand = createTestCommand();
  const key = await sendAndSettle(testCommand, 5, NO_REPLY);
  assert.equal(testCommand.status(), 'undecided');
  // The repetition was not sent, but the server may have executed the first attempt.
  assert.equal(await sendAndSettle(testCommand, 5, OFFLINE_FAILURE), key);
  assert.equal(testCommand.status(), 'undecided');
  assert.equal(await sendAndSettle(testCommand, 5, new ApiFailure('REQUEST_LIMIT', 503)), key);
  assert.equal(testCommand.status(), 'undecided');
  assert.equal(await sendAndSettle(testCommand, 5), key);
  assert.equal(testCommand.status(), 'done');
  assert.notEqual(await sendAndSettle(testCommand, 5), key);
});

test('a refused command ends: the next one has another key', async () => {
  const testCommand = createTestCommand();
  const key = await sendAndSettle(testCommand, 5, REFUSAL);
  assert.equal(testCommand.status(), 'failed');
  assert.notEqual(await sendAndSettle(testCommand, 5), key);
});

test('a command whose first attempt was not sent has failed', async () => {
  const testCommand = createTestCommand();
  await sendAndSettle(testCommand, 5, OFFLINE_FAILURE);
  assert.equal(testCommand.status(), 'failed');
});

test('a command with another input has its own key', async () => {
  const testCommand = createTestCommand();
  const key = await sendAndSettle(testCommand, 5, NO_REPLY);
  assert.notEqual(await sendAndSettle(testCommand, 6, NO_REPLY), key);
});

test('commands whose inputs have the same identity share a key', async () => {
  const testCommand = createTestCommand({ identity: () => 'all' });
  const key = await sendAndSettle(testCommand, 5, NO_REPLY);
  assert.equal(await sendAndSettle(testCommand, 6, NO_REPLY), key);
});

test('a retried command sends the same input with the same key', async () => {
  const testCommand = createTestCommand();
  const key = await sendAndSettle(testCommand, 5, NO_REPLY);
  testCommand.command.retry();
  assert.deepEqual(
    [testCommand.callAt(-1).input, testCommand.callAt(-1).key, testCommand.callAt(-1).quiet],
    [5, key, false],
  );
});

test('a pending command is repeated quietly with its key, with back-off, until its outcome', async (t) => {
  const testCommand = await createPendingCommand(t);
  const { key } = testCommand.callAt(0);
  t.mock.timers.tick(1_999);
  assert.equal(testCommand.calls.length, 1);
  t.mock.timers.tick(1);
  assert.equal(testCommand.calls.length, 2);
  testCommand.callAt(1).fail(NO_REPLY);
  await turn();
  assert.equal(testCommand.status(), 'processing');
  t.mock.timers.tick(4_000);
  testCommand.callAt(2).reply({ reference: 'r1' });
  await turn();
  assert.equal(testCommand.status(), 'done');
  for (const repetition of testCommand.calls.slice(1))
    assert.deepEqual([repetition.key, repetition.quiet], [key, true]);
  t.mock.timers.tick(60_000);
  testCommand.emit('r1', 'SUCCESS');
  assert.equal(testCommand.calls.length, 3);
  assert.equal(testCommand.listeners.size, 0);
  assert.deepEqual(testCommand.results, ['processing', 'done']);
});

test('an event with the reference repeats immediately, one request at a time', async (t) => {
  const testCommand = await createPendingCommand(t);
  testCommand.emit('r2', 'SUCCESS');
  testCommand.emit('r1', 'PROCESSING');
  assert.equal(testCommand.calls.length, 1);
  testCommand.emit('r1', 'SUCCESS');
  testCommand.emit('r1', 'SUCCESS');
  assert.equal(testCommand.calls.length, 2);
  // The reply may have been created before the second event.
  testCommand.callAt(1).reply({ reference: 'r1', isPending: true });
  await turn();
  assert.equal(testCommand.calls.length, 3);
  testCommand.callAt(2).fail(REFUSAL);
  await turn();
  assert.equal(testCommand.status(), 'failed');
});

test('a refused repetition that is not the outcome is repeated with the same key', async (t) => {
  const isOutcome = (failure: unknown): boolean => failure === REFUSAL;
  const testCommand = await createPendingCommand(t, { isOutcome, followEveryMs: [1_000] });
  t.mock.timers.tick(1_000);
  testCommand.callAt(-1).fail(new ApiFailure('NO_WALLET', 409));
  await turn();
  assert.equal(testCommand.status(), 'processing');
  t.mock.timers.tick(1_000);
  assert.equal(testCommand.callAt(-1).key, testCommand.callAt(0).key);
  testCommand.callAt(-1).fail(REFUSAL);
  await turn();
  assert.equal(testCommand.calls.length, 3);
  assert.equal(testCommand.status(), 'failed');
  assert.deepEqual(testCommand.results, ['processing', 'failed']);
});

test('a refusal of the first request ends the command, whatever ends its repetitions', async () => {
  const testCommand = createTestCommand({ isOutcome: () => false });
  await sendAndSettle(testCommand, 5, REFUSAL);
  assert.equal(testCommand.status(), 'failed');
});

test('a success event ends the command without a request if it counts as the outcome', async (t) => {
  const testCommand = await createPendingCommand(t, { endsOnSuccessEvent: true });
  testCommand.emit('r2', 'SUCCESS');
  assert.equal(testCommand.status(), 'processing');
  testCommand.emit('r1', 'SUCCESS');
  assert.equal(testCommand.status(), 'idle');
  t.mock.timers.tick(60_000);
  assert.equal(testCommand.calls.length, 1);
  assert.equal(testCommand.listeners.size, 0);
  assert.deepEqual(testCommand.results, ['processing']);
  // The same input again is another command.
  assert.notEqual(await sendAndSettle(testCommand, 5), testCommand.callAt(0).key);
});

test('a failure event is followed by a request even if a success event is the outcome', async (t) => {
  const testCommand = await createPendingCommand(t, { endsOnSuccessEvent: true });
  testCommand.emit('r1', 'FAILED');
  testCommand.callAt(1).fail(REFUSAL);
  await turn();
  assert.equal(testCommand.status(), 'failed');
});

test('an aborted request has no result, and another command is sent immediately', async () => {
  const testCommand = createTestCommand();
  const aborted = testCommand.command.send(5);
  testCommand.command.abort();
  assert.equal(testCommand.callAt(0).signal.aborted, true);
  assert.equal(testCommand.status(), 'idle');
  const next = testCommand.command.send(6);
  assert.equal(testCommand.calls.length, 2);
  assert.equal(testCommand.callAt(1).signal.aborted, false);
  testCommand.callAt(0).fail(testCommand.callAt(0).signal.reason);
  await aborted;
  assert.equal(testCommand.status(), 'sending');
  // Still the request in flight.
  await testCommand.command.send(7);
  assert.equal(testCommand.calls.length, 2);
  testCommand.callAt(1).reply({ reference: 'r1' });
  await next;
  assert.equal(testCommand.status(), 'done');
  assert.deepEqual(testCommand.results, ['done']);
});

test('a command keeps its key after an abort', async () => {
  const testCommand = createTestCommand();
  const aborted = testCommand.command.send(5);
  testCommand.command.abort();
  testCommand.callAt(0).fail(testCommand.callAt(0).signal.reason);
  await aborted;
  assert.equal(await sendAndSettle(testCommand, 5), testCommand.callAt(0).key);
});

test("a command's result states whether it is displayed", async () => {
  const shown: boolean[] = [];
  const testCommand = createTestCommand({ onResult: (_result, isShown) => shown.push(isShown) });
  await sendAndSettle(testCommand, 5);
  const sent = testCommand.command.send(6);
  testCommand.command.stop();
  testCommand.callAt(-1).reply({ reference: 'r2' });
  await sent;
  assert.deepEqual(shown, [true, false]);
});

test('reset stops the repetitions of a command, which keeps its key', async (t) => {
  const testCommand = await createPendingCommand(t);
  testCommand.command.reset();
  assert.equal(testCommand.status(), 'idle');
  t.mock.timers.tick(60_000);
  testCommand.emit('r1', 'SUCCESS');
  assert.equal(testCommand.calls.length, 1);
  assert.equal(await sendAndSettle(testCommand, 5), testCommand.callAt(0).key);
});

test('a result after unmount is reported, but neither displayed nor followed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const testCommand = createTestCommand();
  const result = testCommand.command.send(5);
  testCommand.command.stop();
  testCommand.callAt(0).reply({ reference: 'r1', isPending: true });
  await result;
  assert.deepEqual(testCommand.results, ['processing']);
  assert.equal(testCommand.status(), 'sending');
  assert.equal(testCommand.listeners.size, 0);
});
