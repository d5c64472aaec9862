import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Answer, type Server, unreadable } from '../control/serve.ts';
import type { Outside } from '../outside/outside-file.ts';
import { sameText } from '../outside/secrets.ts';
import { type Messages, normalizePhone } from './messages.ts';

const INITIAL_CREDIT = 10_000;
const MESSAGE_MAX = 1000;
const CREATED = 201;

type SmsDeps = { server: Server; outside: Outside; messages: Messages };

function refusedReply(status: number, code: number, name: string, description: string): Answer {
  return { status, body: { error: { code, name, description } } };
}

function wrongCredentials(): Answer {
  return refusedReply(401, 101, 'ERROR_AUTHENTICATION', 'Wrong API key or secret');
}

function isAuthenticated(header: string | undefined, outside: Outside): boolean {
  const match = /^Basic ([A-Za-z0-9+/=]+)$/.exec(header ?? '');
  const credentials = match?.[1] === undefined ? '' : Buffer.from(match[1], 'base64').toString('utf8');
  return sameText(credentials, `${outside.sms.key}:${outside.sms.secret}`);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sendMessages(body: Record<string, unknown>, deps: SmsDeps): Answer {
  const text = asText(body['message']);
  const sender = asText(body['sender']);
  if (text.length < 1 || text.length > MESSAGE_MAX) {
    return refusedReply(400, 103, 'ERROR_MESSAGE_INVALID', 'message must have 1 to 1000 characters');
  }
  if (sender !== deps.outside.sms.sender) {
    return refusedReply(400, 104, 'ERROR_SENDER_NOT_ALLOWED', 'This sender is not registered for your account');
  }
  const numbers = asText(body['msisdn'])
    .split(',')
    .map((number) => number.trim());
  const acceptedNumbers: { number: string; message_id: string; used_credit: number }[] = [];
  const refusedNumbers: { number: string; message: string }[] = [];
  for (const number of numbers) {
    const phone = normalizePhone(number);
    if (phone === undefined) {
      refusedNumbers.push({ number, message: 'Invalid phone number' });
      continue;
    }
    deps.messages.deliver(phone, sender, text);
    acceptedNumbers.push({
      number: phone.startsWith('0') ? `66${phone.slice(1)}` : phone.slice(1),
      message_id: randomBytes(12).toString('base64url'),
      used_credit: 1,
    });
  }
  if (acceptedNumbers.length === 0)
    return refusedReply(400, 102, 'ERROR_MSISDN_INVALID', 'No valid phone number in msisdn');
  return {
    status: CREATED,
    body: {
      remaining_credit: INITIAL_CREDIT - acceptedNumbers.length,
      total_use_credit: acceptedNumbers.length,
      credit_type: 'standard',
      phone_number_list: acceptedNumbers,
      bad_phone_number_list: refusedNumbers,
    },
  };
}

function sendOnce(key: unknown, body: Record<string, unknown>, deps: SmsDeps): Answer {
  const send = (): Answer => sendMessages(body, deps);
  return deps.messages.once(typeof key === 'string' ? key : undefined, send, ({ status }) => status === CREATED);
}

/** `POST /sms/sms`: sends plain text messages. `GET /sms/credit`: the remaining credit. */
export function smsGateway(app: FastifyInstance, deps: SmsDeps): void {
  app.get('/sms/credit', (request, reply) =>
    deps.server.serve(reply, {
      target: 'sms',
      call: 'credit',
      key: null,
      handle: () =>
        isAuthenticated(request.headers.authorization, deps.outside)
          ? { status: 200, body: { remaining_credit: { standard: INITIAL_CREDIT, corporate: 0 } } }
          : wrongCredentials(),
      decline: () => refusedReply(400, 105, 'ERROR_SENDING_REFUSED', 'The call was refused'),
    }),
  );
  app.post<{ Body: unknown }>(
    '/sms/sms',
    {
      errorHandler: unreadable(() =>
        refusedReply(400, 103, 'ERROR_MESSAGE_INVALID', 'The request has no readable form'),
      ),
    },
    (request, reply) => {
      const body = (typeof request.body === 'object' && request.body !== null ? request.body : {}) as Record<
        string,
        unknown
      >;
      return deps.server.serve(reply, {
        target: 'sms',
        call: 'send',
        key: asText(body['msisdn']).slice(0, 100) || null,
        handle: () =>
          isAuthenticated(request.headers.authorization, deps.outside)
            ? sendOnce(request.headers['idempotency-key'], body, deps)
            : wrongCredentials(),
        decline: () => refusedReply(400, 105, 'ERROR_SENDING_REFUSED', 'The message was refused by the network'),
      });
    },
  );
}
