import assert from 'node:assert/strict';
import { type ErrorCode, errorStatus } from '@krapao/contract/errors';
import type { ApiReply } from './api-client.ts';

/** Asserts that a call failed with exactly this code, and with the form and status of the code. */
export function assertRefused(
  reply: ApiReply,
  code: ErrorCode,
  detail?: string,
  status: number = errorStatus[code],
): void {
  const replyText = `${reply.status} ${JSON.stringify(reply.body)}`;
  assert.equal(reply.body.message, code, replyText);
  assert.equal(reply.status, status, replyText);
  if (detail !== undefined) assert.equal(reply.body.detail, detail, replyText);
  if (status === 429) assert.ok(Number(reply.headers.get('retry-after')) >= 1, `${replyText} has Retry-After`);
  const knownFields = ['message', 'detail', 'requestId', 'unmet', 'reference'];
  if ('result' in reply.body) {
    const { success, error, result } = reply.body;
    assert.deepEqual({ success, error, result }, { success: false, error: code, result: null }, replyText);
    knownFields.push('success', 'error', 'result');
  }
  assert.deepEqual(
    Object.keys(reply.body).filter((key) => !knownFields.includes(key)),
    [],
    replyText,
  );
}
