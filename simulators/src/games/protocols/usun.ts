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
/** How long an expired token is still recognised as expired. */
const REMEMBERED_MS = 3_600_000;

const REFUSALS = {
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

const done = (data: object): Answer => ({ status: 200, body: { status: 'ok', data } });
const refused = (code: keyof typeof REFUSALS): Answer => {
  const [status, message] = REFUSALS[code];
  return { status, body: { status: 'error', code, message } };
};

type Act = (username: string, fields: Fields, gameServer: GameServer) => Answer;

const CALLS: readonly { call: string; method: 'GET' | 'POST' | 'PUT'; path: string; act: Act }[] = [
  { call: 'create', method: 'POST', path: '', act: create },
  { call: 'password', method: 'PUT', path: '/:username/password', act: setPassword },
  { call: 'balance', method: 'GET', path: '/:username/balance', act: balance },
  { call: 'deposit', method: 'POST', path: '/:username/deposit', act: transfer('in') },
  { call: 'withdraw', method: 'POST', path: '/:username/withdraw', act: transfer('out') },
];

/** Every call needs a login token, which expires or is revoked. */
export const usun: Protocol = {
  credentials: ['clientId', 'clientSecret'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['login', 'balance'] },
  says: {
    declined: () => refused('REFUSED'),
    maintenance: () => refused('MAINTENANCE'),
    unlisted: () => refused('QUEUED'),
  },
  entrance: { path: 'auto-login', isSigned: () => true },
  routes: (app, gameServer) => {
    const tokens = new Tokens();
    const errorHandler = unreadable(() => refused('BAD_REQUEST'));
    app.post(`/games/${gameServer.provider}/api/v1/auth/login`, { errorHandler }, (request, reply) =>
      gameServer.serve(reply, {
        call: 'login',
        key: null,
        act: () => logIn(fieldsOf(request.body), gameServer, tokens),
      }),
    );
    for (const { call, method, path, act } of CALLS) {
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
            act: () => tokens.refusalOf(request) ?? act(username, fields, gameServer),
          });
        },
      });
    }
    orders(app, gameServer, tokens);
  },
};

/** The tokens of this process; only their hashes are stored. */
class Tokens {
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
    if (endsAt === undefined) return refused('TOKEN_INVALID');
    return endsAt > Date.now() ? undefined : refused('TOKEN_EXPIRED');
  }
}

const ordersInput = z.strictObject({
  expiresIn: z.int().min(1).max(86_400).optional(),
  revoke: z.boolean().default(false),
});

/** Control API: sets the lifetime of tokens and revokes existing ones. */
function orders(app: FastifyInstance, gameServer: GameServer, tokens: Tokens): void {
  app.post(`/control/games/${gameServer.provider}/tokens`, ({ body }) => {
    const { expiresIn, revoke } = readInput(ordersInput, body);
    if (expiresIn !== undefined) tokens.lifeSeconds = expiresIn;
    if (revoke) tokens.endAll();
    return { expiresIn: tokens.lifeSeconds };
  });
}

function logIn({ clientId = '', clientSecret = '' }: Fields, gameServer: GameServer, tokens: Tokens): Answer {
  const isClient = sameText(clientId, gameServer.credential('clientId'));
  const isSecret = sameText(clientSecret, gameServer.credential('clientSecret'));
  if (!isClient || !isSecret) return refused('INVALID_CLIENT');
  return done({ token: tokens.issue(), expiresIn: tokens.lifeSeconds });
}

function create(username: string, { password }: Fields, { players }: GameServer): Answer {
  if (!isName(username) || !isName(password)) return refused('BAD_REQUEST');
  return players.create(username, password) ? done({ username: username.toLowerCase() }) : refused('PLAYER_EXISTS');
}

function setPassword(username: string, { password }: Fields, { players }: GameServer): Answer {
  if (!isName(password)) return refused('BAD_REQUEST');
  return players.setPassword(username, password) ? done({ username: username.toLowerCase() }) : refused('NO_PLAYER');
}

function balance(name: string, _fields: Fields, { players }: GameServer): Answer {
  const player = players.find(name);
  if (!player) return refused('NO_PLAYER');
  return done({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out'): Act {
  return (username, fields, { players }) => {
    const amount = amountOf(fields['amount']);
    if (amount === undefined) return refused('BAD_REQUEST');
    const made = players.transfer({ username, direction, amount, reference: null });
    if (made === 'unknown-player') return refused('NO_PLAYER');
    if (typeof made === 'string') return refused('LOW_BALANCE');
    return done({
      transactionId: `US-${made.id}`,
      username: made.username,
      amount: formatMoney(made.amount),
      before: formatMoney(made.before),
      after: formatMoney(made.after),
    });
  };
}
