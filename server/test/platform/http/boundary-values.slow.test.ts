import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Endpoint } from '@krapao/contract/endpoint';
import { type EndpointName, endpoints } from '@krapao/contract/endpoints';
import { z } from 'zod';
import { logIn, newAccountNo, newPhone, registerMember, type TestMember } from '../../harness/members.ts';
import { setRateLimits, setSettings } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system);
  const { rows } = await system.database.query<{ name: string }>('select name from operator_data_limit');
  await setSettings(system, { registerOTP: false });
  await setRateLimits(system, Object.fromEntries(rows.map(({ name }) => [name, 1_000_000])));
});
after(() => system.stop());

type JsonSchema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  minItems?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

const LONG_DIGITS = '9'.repeat(19);
/** Values at and beyond the bounds of columns: integer, bigint, timestamp, text, jsonb. */
const NUMBERS = [0, -0, -1, 0.01, 0.005, 1e-7, 32_768, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308];
const TEXTS = ['', ' ', '0', '\0', 'a\0b', '\ud800', '\udc00', '\u202e', '%', '_', '\\', "'", '🙂', '๑๒๓', '\ufdd0'];
const DIGITS = [LONG_DIGITS, `-${LONG_DIGITS}`, '9'.repeat(18), '1e400', 'NaN', 'Infinity', '0x10'];
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '1000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  `2026-01-01T00:00:00.${'1'.repeat(600)}Z`,
  '2026-01-01T00:00:00.1234567890123456789Z',
  '2026-01-01T00:00:00+25:00',
  '2026-01-01T00:00:00+15:59',
  '2026-02-30T00:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T24:00:00Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  'infinity',
  'now',
];
const IDS = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'urn:uuid:1', LONG_DIGITS];
const OTHER_TYPES = [null, true, [], [[]], {}, { length: -1 }];

/** Values that handlers accept, by field; each call has a new phone and account number. */
const VALID_FIELDS: Readonly<Record<string, () => unknown>> = {
  username: newPhone,
  phoneNumber: newPhone,
  password: () => 'green-basket-27',
  bankCode: () => 'SCB',
  bankAccountName: () => 'SOMJAI DEEMAK',
  bankAccountNo: newAccountNo,
  sourceCode: () => 'FRIEND',
  inviteCode: () => '',
  currency: () => '',
  amount: () => 100,
};
const VALID_TIMES: Readonly<Record<string, string>> = { from: '2026-10-01T00:00:00Z', until: '2026-11-01T00:00:00Z' };

/** A value that the schema, and mostly the handler, accepts. */
function validValue(schema: JsonSchema, name = ''): unknown {
  if (schema.format === 'date-time') return VALID_TIMES[name];
  const valid = VALID_FIELDS[name];
  if (valid) return valid();
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  return schema.anyOf ? validValue(schema.anyOf[0] ?? {}) : validOfType(schema);
}

function validOfType({ type, format, properties = {}, items = {}, minItems, minimum, maxLength }: JsonSchema): unknown {
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, validValue(field, name)]));
    case 'array':
      return Array.from({ length: minItems ?? 0 }, () => validValue(items));
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case undefined:
    default:
      return format === 'uuid' ? '018f0000-0000-7000-8000-000000000000' : '1'.repeat(Math.min(4, maxLength ?? 4));
  }
}

/** Boundary values for a schema. */
function boundaryValues(schema: JsonSchema): unknown[] {
  const long = 'x'.repeat(schema.maxLength ?? 300);
  const texts = [...TEXTS, ...DIGITS, ...TIMES, ...IDS, long, `${long}x`, 'ก'.repeat(long.length)];
  const numbers = [...NUMBERS, schema.minimum, schema.maximum].filter((value) => value !== undefined);
  if (schema.enum) return [...schema.enum, ...texts, ...OTHER_TYPES];
  if (schema.anyOf) return schema.anyOf.flatMap(boundaryValues);
  if (schema.type === 'object')
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      boundaryValues(field).map((value) => ({ ...(validValue(schema) as object), [name]: value })),
    );
  if (schema.type === 'array') {
    const item = validValue(schema.items ?? {});
    return [
      [],
      [item, item],
      Array.from({ length: 1_000 }, () => item),
      ...boundaryValues(schema.items ?? {}).map((value) => [value]),
    ];
  }
  return [...texts, ...numbers, ...OTHER_TYPES];
}

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** Requests with one boundary value each; the other fields are valid. */
function requestsOf(declared: Endpoint): { params: Record<string, string>; body?: unknown }[] {
  const paramsSchema = declared.params && toJsonSchema(declared.params);
  const params = (paramsSchema ? validValue(paramsSchema) : {}) as Record<string, string>;
  const body = declared.body && !declared.upload ? { body: validValue(toJsonSchema(declared.body)) } : {};
  const byParam = Object.entries(paramsSchema?.properties ?? {}).flatMap(([name, schema]) =>
    boundaryValues(schema)
      .filter((value) => typeof value === 'string' && value.isWellFormed())
      .map((value) => ({ params: { ...params, [name]: value as string }, ...body })),
  );
  const byBody =
    declared.body && !declared.upload
      ? boundaryValues(toJsonSchema(declared.body)).map((value) => ({ params, body: value }))
      : [];
  return [{ params, ...body }, ...byParam, ...byBody];
}

for (const name of Object.keys(endpoints) as EndpointName[]) {
  test(`${name} replies to no boundary value of its parameters and fields with INTERNAL_SERVER_ERROR [R-NET-05]`, async () => {
    const faults: string[] = [];
    for (const { params, body } of requestsOf(endpoints[name])) {
      const options = { token: member.token, params, ...(body === undefined ? {} : { body }) };
      const reply = await system.api(name, options);
      if (reply.status === 500)
        faults.push(`${JSON.stringify({ params, body }).slice(0, 300)}: ${JSON.stringify(reply.body)}`);
      if (reply.status === 401) member = { ...member, token: await logIn(system, member.phone, member.password) };
    }
    assert.deepEqual(faults, []);
  });
}
