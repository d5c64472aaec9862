import assert from 'node:assert/strict';
import { type ErrorCode, errorStatus } from '@krapao/contract/errors';
import type { ApiReply } from './api-client.ts';

/** Asserts that a call failed with exactly this code, in the form and with the status that go with it. */
export function assertRefused(
  reply: ApiReply,
  code: ErrorCode,
  detail?: string,
  status: number = errorStatus[code],
): void {
  const said = `${reply.status} ${JSON.stringify(reply.body)}`;
  assert.equal(reply.body.message, code, said);
  assert.equal(reply.status, status, said);
  if (detail !== undefined) assert.equal(reply.body.detail, detail, said);
  const known = ['message', 'detail', 'requestId', 'unmet'];
  if ('result' in reply.body) {
    const { success, error, result } = reply.body;
    assert.deepEqual({ success, error, result }, { success: false, error: code, result: null }, said);
    known.push('success', 'error', 'result');
  }
  assert.deepEqual(
    Object.keys(reply.body).filter((key) => !known.includes(key)),
    [],
    said,
  );
}
