import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { commonErrors, type Endpoint, memberErrors } from '../src/endpoint.ts';
import { endpoints } from '../src/endpoints.ts';
import { errorStatus } from '../src/errors.ts';
import { amountInput } from '../src/shapes.ts';
import { canFollow, qrcodeTransitions, transferTransitions } from '../src/states.ts';

const allEndpoints = Object.entries(endpoints) as [string, Endpoint][];

test('each endpoint is registered under its own method and path', () => {
  for (const [name, { method, path }] of allEndpoints) equal(name, `${method} ${path}`);
});

test('the parameters of a path match its schema', () => {
  for (const [name, { path, params }] of allEndpoints) {
    const inPath = [...path.matchAll(/{(\w+)}/g)].map(([, parameter = '']) => parameter);
    deepEqual(Object.keys(params?.shape ?? {}).toSorted(), inPath.toSorted(), name);
  }
});

test('an endpoint lists each error code once, and none of the common ones', () => {
  for (const [name, { errors, access }] of allEndpoints) {
    const usualErrors: readonly string[] = access === 'public' ? commonErrors : [...commonErrors, ...memberErrors];
    const namedErrors = errors.filter((code) => code !== 'INVALID_USER_4' || access !== 'public');
    equal(new Set(errors).size, errors.length, name);
    deepEqual(
      namedErrors.filter((code) => usualErrors.includes(code)),
      [],
      name,
    );
  }
});

test('every request body and reply converts to JSON schema', () => {
  for (const [name, { body, replies }] of allEndpoints) {
    if (body) z.toJSONSchema(body, { io: 'input' });
    for (const schema of Object.values(replies)) z.toJSONSchema(schema);
    equal(Object.keys(replies).length > 0, true, name);
  }
});

test('every error code has a failure status', () => {
  for (const [code, status] of Object.entries(errorStatus)) equal(status >= 400 && status < 600, true, code);
});

test('final states have no transitions, except to PAID for late payments', () => {
  deepEqual([transferTransitions.DONE, transferTransitions.REVERSED, qrcodeTransitions.PAID], [[], [], []]);
  for (const state of ['CANCELLED', 'EXPIRED', 'FAILED'] as const) {
    equal(canFollow(qrcodeTransitions, state, 'PAID'), true);
    equal(canFollow(qrcodeTransitions, state, 'PENDING'), false);
  }
});

test('an amount reaches the server as the sent number, and as undefined if it is invalid', () => {
  for (const amount of [5, 0.001, -1, 1e21]) deepEqual(amountInput.parse(amount), amount);
  for (const value of ['5', null, true, {}, [5]]) equal(amountInput.parse(value), undefined, JSON.stringify(value));
  deepEqual(z.toJSONSchema(z.object({ amount: amountInput }), { io: 'input' }).required, ['amount']);
});
