import { type Answer, unreadable } from '../../control/serve.ts';
import { formatMoneyWithCommas, parseMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';

type Body = Record<string, unknown>;
type Asked = { key: string; username: string; body: Body };

const MESSAGES = {
  1001: 'Invalid signature',
  1002: 'Invalid key',
  1003: 'Member not found',
  1004: 'Member already exists',
  1005: 'Credit is not enough',
  1006: 'Invalid value',
  1050: 'Queued',
  1098: 'Under maintenance',
  1099: 'Refused',
} as const;

const NAME = /^[A-Za-z0-9]{1,16}$/;

function done(result: object): Answer {
  return { status: 200, body: { code: 0, message: 'success', result } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { code, message: MESSAGES[code], result: null } };
}

/** A field in the form that was signed. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const CALLS = [
  { call: 'create', method: 'POST', path: 'create/:key', act: create },
  { call: 'deposit', method: 'POST', path: 'deposit/:key/:username', act: transfer('in') },
  { call: 'withdraw', method: 'POST', path: 'withdraw/:key/:username', act: transfer('out') },
  { call: 'credit', method: 'GET', path: 'credit/:key/:username', act: credit },
  { call: 'reset-password', method: 'PUT', path: 'reset-password/:key/:username', act: resetPassword },
] as const;

/** Signed calls, no caller's reference, not idempotent, no status inquiry. */
export const askmebet: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'deposit', 'withdraw', 'reset-password'], others: ['credit'] },
  says: { declined: () => refused(1099), maintenance: () => refused(1098), unlisted: () => refused(1050) },
  routes: (app, gameServer) => {
    for (const { call, method, path, act } of CALLS) {
      app.route<{ Params: { key: string; username?: string }; Body: unknown }>({
        method,
        url: `/games/${gameServer.provider}/v0.1/partner/member/${path}`,
        errorHandler: unreadable(() => refused(1006)),
        handler: ({ params, body }, reply) => {
          const asked: Asked = {
            key: params.key,
            username: params.username ?? '',
            body: (typeof body === 'object' && body !== null ? body : {}) as Body,
          };
          return gameServer.serve(reply, {
            call,
            key: asked.username || textOf(asked.body['memberLoginName']).slice(0, 50) || null,
            act: () => (sameText(asked.key, gameServer.credential('key')) ? act(asked, gameServer) : refused(1002)),
          });
        },
      });
    }
  },
  entrance: {
    path: 'login/auto',
    isSigned: ({ username = '', password = '', hash = '' }, gameServer) =>
      sameText(hash.toLowerCase(), md5(`${username}:${password}:${gameServer.credential('agent')}`)),
  },
};

function signedBy(signature: unknown, text: string, gameServer: GameServer): boolean {
  return sameText(textOf(signature), md5(`${text}:${gameServer.credential('agent')}`));
}

function create({ body }: Asked, gameServer: GameServer): Answer {
  const name = textOf(body['memberLoginName']);
  const password = textOf(body['memberLoginPass']);
  if (!signedBy(body['signature'], `${name}:${password}`, gameServer)) return refused(1001);
  if (!NAME.test(name) || !NAME.test(password)) return refused(1006);
  return gameServer.players.create(name, password) ? done({ username: name.toLowerCase() }) : refused(1004);
}

function transfer(direction: 'in' | 'out') {
  return ({ username, body }: Asked, gameServer: GameServer): Answer => {
    const text = textOf(body['amount']);
    if (!signedBy(body['signature'], `${text}:${username}`, gameServer)) return refused(1001);
    const amount = parseMoney(text);
    if (amount === undefined || amount === 0) return refused(1006);
    const made = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (made === 'unknown-player') return refused(1003);
    if (typeof made === 'string') return refused(1005);
    return done({
      refId: `AMB${String(made.id).padStart(10, '0')}`,
      before: formatMoneyWithCommas(made.before),
      after: formatMoneyWithCommas(made.after),
      amount: formatMoneyWithCommas(made.amount),
    });
  };
}

function credit({ username }: Asked, { players }: GameServer): Answer {
  const player = players.find(username);
  if (!player) return refused(1003);
  return done({
    credit: formatMoneyWithCommas(player.balance),
    outstanding: formatMoneyWithCommas(player.outstanding),
    turnover: formatMoneyWithCommas(player.turnover),
  });
}

function resetPassword({ username, body }: Asked, gameServer: GameServer): Answer {
  const password = textOf(body['password']);
  if (!signedBy(body['signature'], password, gameServer)) return refused(1001);
  if (!NAME.test(password)) return refused(1006);
  return gameServer.players.setPassword(username, password) ? done({}) : refused(1003);
}
