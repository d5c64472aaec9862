import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { eventMismatch, joinMismatch, replyMismatch } from '../src/wire-faults.ts';

const ACTIVE_REPLY = { isActive: true };
const faultOf = (method: string, path: string, status: number, body: unknown): string =>
  replyMismatch(method, path, status, JSON.stringify(body)) ?? '';

test('a declared reply and a declared failure are no contract violation', () => {
  equal(faultOf('GET', '/api/spinwheel/active', 200, ACTIVE_REPLY), '');
  equal(faultOf('GET', '/api/bonus/activate/DAILY', 409, { message: 'BONUS_FULL', detail: 'X' }), '');
  equal(faultOf('POST', '/api/wallet/transfer', 503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }), '');
  equal(faultOf('POST', '/api/wallet/transfer', 415, { message: 'NO_GAME', detail: 'CONTENT_TYPE' }), '');
});

test('a reply of another shape, status, code or call is a violation that names the place', () => {
  match(faultOf('GET', '/api/spinwheel/active', 200, { isActive: 'yes' }), /GET \/api\/spinwheel\/active .*isActive/);
  match(faultOf('GET', '/api/spinwheel/active', 201, ACTIVE_REPLY), /201: this status is not declared/);
  match(
    faultOf('GET', '/api/bonus/activate/DAILY', 409, { message: 'EXISTING_USER' }),
    /EXISTING_USER is not declared/,
  );
  match(faultOf('GET', '/api/bonus/activate/DAILY', 409, { error: 'BONUS_FULL' }), /message/);
  match(faultOf('GET', '/api/unheard-of', 200, {}), /declares no such call/);
  match(replyMismatch('GET', '/api/wallet', 502, '<html>') ?? '', /no JSON/);
  match(faultOf('POST', '/api/spinwheel/spin', 500, { message: 'INTERNAL_SERVER_ERROR' }), /success/);
});

test('socket events are checked by name and shape', () => {
  const event = {
    sequence: '7',
    kind: 'play',
    state: 'SUCCESS',
    reference: 'P1',
    amount: -1.5,
    at: '2030-01-01T00:00:00Z',
  };
  equal(eventMismatch('event', event), undefined);
  equal(eventMismatch('session-ended', { message: 'UNAUTHORIZED' }), undefined);
  match(eventMismatch('event', { ...event, sequence: 7 }) ?? '', /event event: sequence/);
  match(eventMismatch('unheard-of', {}) ?? '', /no event unheard-of/);
  equal(joinMismatch({ joined: false, message: 'REQUEST_LIMIT' }), undefined);
  match(joinMismatch({ joined: 'yes' }) ?? '', /joined/);
});
