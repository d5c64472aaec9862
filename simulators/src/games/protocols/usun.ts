import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, unreadable } from '../../control/serve.ts';
import { readInput } from '../../input.ts';
import { formatMoney } from '../../money.ts';
import { sameText, sha256 } from '../../outside/secrets.ts';
import { type Fields, fieldsOf, type GameServer, type Protocol } from '../game-server.ts';
import { amountOf, isName } from '../post-calls.ts';

const TOKEN_SECONDS = 3600;
/** Time for which an expired token is still recognised as expired. */
const REMEMBERED_MS = 3_600_000;

const REFUSALS_BY_CODE = {
  BAD_REQUEST: [400, 'A field is missing or malformed'],
  INVALID_CLIENT: [401, 'Wrong client'],
  TOKEN_INVALID: [401, 'Unknown token'],
  TOKEN_EXPIRED: [401, 'The token is over'],
  NO_PLAYER: [404, 'There is no such player'],
  PLAYER_EXISTS: [409, 'The name is taken'],
  LOW_BALANCE: [409, 'The balance is too small'],
  REFUSED: [422, 'Refused'],
  QUEUED: [409, 'Queued'],
  MAINTENANCE: [403, 'Under maintenance'],
} as const;

const doneReply = (data: object): Answer => ({ status: 200, body: { status: 'ok', data } });
const refusedReply = (code: keyof typeof REFUSALS_BY_CODE): Answer => {
  const [status, message] = REFUSALS_BY_CODE[code];
  return { status, body: { status: 'error', code, message } };
};

type CallHandler = (username: string, fields: Fields, gameServer: GameServer) => Answer;

const API_CALLS: readonly { call: string; method: 'GET' | 'POST' | 'PUT'; path: string; handle: CallHandler }[] = [
  { call: 'create', method: 'POST', path: '', handle: create },
  { call: 'password', method: 'PUT', path: '/:username/password', handle: setPassword },
  { call: 'balance', method: 'GET', path: '/:username/balance', handle: balance },
  { call: 'deposit', method: 'POST', path: '/:username/deposit', handle: transfer('in') },
  { call: 'withdraw', method: 'POST', path: '/:username/withdraw', handle: transfer('out') },
];

/** Every call needs a login token, which expires or is revoked. */
export const usun: Protocol = {
  credentials: ['clientId', 'clientSecret'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['login', 'balance'] },
  denialReplies: {
    declined: () => refusedReply('REFUSED'),
    maintenance: () => refusedReply('MAINTENANCE'),
    unlisted: () => refusedReply('QUEUED'),
  },
  entrance: { path: 'auto-login', isSigned: () => true },
  routes: (app, gameServer) => {
    const tokens = new LoginTokens();
    const errorHandler = unreadable(() => refusedReply('BAD_REQUEST'));
    app.post(`/games/${gameServer.provider}/api/v1/auth/login`, { errorHandler }, (request, reply) =>
      gameServer.serve(reply, {
        call: 'login',
        key: null,
        handle: () => logIn(fieldsOf(request.body), gameServer, tokens),
      }),
    );
    for (const { call, method, path, handle } of API_CALLS) {
      app.route<{ Params: { username?: string }; Body: unknown }>({
        method,
        url: `/games/${gameServer.provider}/api/v1/players${path}`,
        errorHandler,
        handler: (request, reply) => {
          const fields = fieldsOf(request.body);
          const username = request.params.username ?? fields['username'] ?? '';
          return gameServer.serve(reply, {
            call,
            key: username.slice(0, 50) || null,
            handle: () => tokens.refusalOf(request) ?? handle(username, fields, gameServer),
          });
        },
      });
    }
    tokenControlRoutes(app, gameServer, tokens);
  },
};

/** Login tokens of this process; only their hashes are stored. */
class LoginTokens {
  lifeSeconds = TOKEN_SECONDS;
  readonly #endsAt = new Map<string, number>();

  issue(): string {
    for (const [hash, endsAt] of this.#endsAt) if (endsAt + REMEMBERED_MS < Date.now()) this.#endsAt.delete(hash);
    const token = randomBytes(24).toString('base64url');
    this.#endsAt.set(sha256(token), Date.now() + this.lifeSeconds * 1000);
    return token;
  }

  endAll(): void {
    for (const hash of this.#endsAt.keys()) this.#endsAt.set(hash, 0);
  }

  refusalOf(request: FastifyRequest): Answer | undefined {
    const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const endsAt = this.#endsAt.get(sha256(token));
    if (endsAt === undefined) return refusedReply('TOKEN_INVALID');
    return endsAt > Date.now() ? undefined : refusedReply('TOKEN_EXPIRED');
  }
}

const ordersInput = z.strictObject({
  expiresIn: z.int().min(1).max(86_400).optional(),
  revoke: z.boolean().default(false),
});

/** Control API: sets the lifetime of tokens and revokes existing ones. */
function tokenControlRoutes(app: FastifyInstance, gameServer: GameServer, tokens: LoginTokens): void {
  app.post(`/control/games/${gameServer.provider}/tokens`, ({ body }) => {
    const { expiresIn, revoke } = readInput(ordersInput, body);
    if (expiresIn !== undefined) tokens.lifeSeconds = expiresIn;
    if (revoke) tokens.endAll();
    return { expiresIn: tokens.lifeSeconds };
  });
}

function logIn({ clientId = '', clientSecret = '' }: Fields, gameServer: GameServer, tokens: LoginTokens): Answer {
  const isClient = sameText(clientId, gameServer.credential('clientId'));
  const isSecret = sameText(clientSecret, gameServer.credential('clientSecret'));
  if (!isClient || !isSecret) return refusedReply('INVALID_CLIENT');
  return doneReply({ token: tokens.issue(), expiresIn: tokens.lifeSeconds });
}

function create(username: string, { password }: Fields, { players }: GameServer): Answer {
  if (!isName(username) || !isName(password)) return refusedReply('BAD_REQUEST');
  return players.create(username, password)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply('PLAYER_EXISTS');
}

function setPassword(username: string, { password }: Fields, { players }: GameServer): Answer {
  if (!isName(password)) return refusedReply('BAD_REQUEST');
  return players.setPassword(username, password)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply('NO_PLAYER');
}

function balance(name: string, _fields: Fields, { players }: GameServer): Answer {
  const player = players.find(name);
  if (!player) return refusedReply('NO_PLAYER');
  return doneReply({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out'): CallHandler {
  return (username, fields, { players }) => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined) return refusedReply('BAD_REQUEST');
    const transferResult = players.transfer({ username, direction, amount, reference: null });
    if (transferResult === 'unknown-player') return refusedReply('NO_PLAYER');
    if (typeof transferResult === 'string') return refusedReply('LOW_BALANCE');
    return doneReply({
      transactionId: `US-${transferResult.id}`,
      username: transferResult.username,
      amount: formatMoney(transferResult.amount),
      before: formatMoney(transferResult.before),
      after: formatMoney(transferResult.after),
    });
  };
}
