import { declaredFailures } from '@krapao/contract/declared-failures';
import type { Endpoint } from '@krapao/contract/endpoint';
import { errorStatus } from '@krapao/contract/errors';
import { z } from 'zod';

type Json = Record<string, unknown>;
type Direction = 'input' | 'output';

/**
 * The OpenAPI 3.1 document of the endpoints: generated from the schemas that the server parses with, so that it can't
 * be out of date.
 */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as Json)[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Krapao', version },
    paths,
    components: {
      schemas: { Failure: failureSchema(), FailedResult: failedResultSchema() },
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer' },
        visitor: { type: 'http', scheme: 'guest', description: 'The guest-id and its secret, with a point between.' },
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const parameters = [
    ...Object.entries(endpoint.params?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema: schemaOf(schema as z.ZodType, 'input'),
    })),
    ...(endpoint.changesState ? [header('X-Requested-With', true, { const: 'XMLHttpRequest' })] : []),
    ...(endpoint.idempotent
      ? [header('Idempotency-Key', false, { type: 'string', minLength: 8, maxLength: 128 })]
      : []),
  ];
  return {
    summary: endpoint.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.access === 'public' ? {} : { security: securityOf(endpoint) }),
    ...(endpoint.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
          },
        }
      : {}),
    responses: responses(endpoint),
  };
}

const securityOf = ({ access }: Endpoint): Json[] =>
  access === 'member' ? [{ session: [] }] : [{ session: [] }, { visitor: [] }];

function responses(endpoint: Endpoint): Json {
  const found: Json = {};
  for (const [status, schema] of Object.entries(endpoint.reply)) {
    found[status] = { description: 'Done', content: { 'application/json': { schema: schemaOf(schema, 'output') } } };
  }
  for (const [status, codes] of declaredFailures(endpoint)) {
    found[status] ??= {
      description: codes.join(', '),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${endpoint.tellsResult ? 'FailedResult' : 'Failure'}` },
        },
      },
    };
  }
  return found;
}

function header(name: string, required: boolean, schema: Json): Json {
  return { name, in: 'header', required, schema };
}

function failureSchema(): Json {
  return {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string', enum: Object.keys(errorStatus) },
      detail: { type: 'string' },
      requestId: { type: 'string' },
    },
  };
}

function failedResultSchema(): Json {
  const properties = { success: { const: false }, error: { type: 'string' }, result: { type: 'null' } };
  return {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      { type: 'object', required: Object.keys(properties), properties },
    ],
  };
}

function schemaOf(schema: z.ZodType, io: Direction): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return json;
}
