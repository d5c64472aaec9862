import { declaredFailures } from '@krapao/contract/declared-failures';
import type { Endpoint } from '@krapao/contract/endpoint';
import { errorStatus } from '@krapao/contract/errors';
import { z } from 'zod';

type JsonObject = Record<string, unknown>;
type SchemaDirection = 'input' | 'output';

/** The OpenAPI 3.1 document of the endpoints, generated from the schemas that the server parses with. */
export function openApiDocument(endpoints: readonly Endpoint[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as JsonObject)[endpoint.method.toLowerCase()] = operation(endpoint);
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

function operation(endpoint: Endpoint): JsonObject {
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

const securityOf = ({ access }: Endpoint): JsonObject[] =>
  access === 'member' ? [{ session: [] }] : [{ session: [] }, { visitor: [] }];

function responses(endpoint: Endpoint): JsonObject {
  const responsesByStatus: JsonObject = {};
  for (const [status, schema] of Object.entries(endpoint.replies)) {
    responsesByStatus[status] = {
      description: 'Done',
      content: { 'application/json': { schema: schemaOf(schema, 'output') } },
    };
  }
  for (const [status, codes] of declaredFailures(endpoint)) {
    responsesByStatus[status] ??= {
      description: codes.join(', '),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${endpoint.tellsResult ? 'FailedResult' : 'Failure'}` },
        },
      },
    };
  }
  return responsesByStatus;
}

function header(name: string, required: boolean, schema: JsonObject): JsonObject {
  return { name, in: 'header', required, schema };
}

function failureSchema(): JsonObject {
  return {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string', enum: Object.keys(errorStatus) },
      detail: { type: 'string' },
      requestId: { type: 'string' },
      reference: { type: 'string' },
    },
  };
}

function failedResultSchema(): JsonObject {
  const properties = { success: { const: false }, error: { type: 'string' }, result: { type: 'null' } };
  return {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      { type: 'object', required: Object.keys(properties), properties },
    ],
  };
}

function schemaOf(schema: z.ZodType, io: SchemaDirection): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return json;
}
