import { type Answer, unreadable } from '../../control/serve.ts';
import { formatMoneyWithCommas, parseMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';

type RequestBody = Record<string, unknown>;
type CallRequest = { key: string; username: string; body: RequestBody };

const REFUSAL_MESSAGES = {
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

const PLAYER_NAME = /^[A-Za-z0-9]{1,16}$/;

function doneReply(result: object): Answer {
  return { status: 200, body: { code: 0, message: 'success', result } };
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { code, message: REFUSAL_MESSAGES[code], result: null } };
}

/** Text of a field, as the signature covers it. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const API_CALLS = [
  { call: 'create', method: 'POST', path: 'create/:key', handle: create },
  { call: 'deposit', method: 'POST', path: 'deposit/:key/:username', handle: transfer('in') },
  { call: 'withdraw', method: 'POST', path: 'withdraw/:key/:username', handle: transfer('out') },
  { call: 'credit', method: 'GET', path: 'credit/:key/:username', handle: credit },
  { call: 'reset-password', method: 'PUT', path: 'reset-password/:key/:username', handle: resetPassword },
] as const;

/** Signed calls; no client reference, not idempotent, no status inquiry. */
export const askmebet: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'deposit', 'withdraw', 'reset-password'], others: ['credit'] },
  denialReplies: {
    declined: () => refusedReply(1099),
    maintenance: () => refusedReply(1098),
    unlisted: () => refusedReply(1050),
  },
  routes: (app, gameServer) => {
    for (const { call, method, path, handle } of API_CALLS) {
      app.route<{ Params: { key: string; username?: string }; Body: unknown }>({
        method,
        url: `/games/${gameServer.provider}/v0.1/partner/member/${path}`,
        errorHandler: unreadable(() => refusedReply(1006)),
        handler: ({ params, body }, reply) => {
          const callRequest: CallRequest = {
            key: params.key,
            username: params.username ?? '',
            body: (typeof body === 'object' && body !== null ? body : {}) as RequestBody,
          };
          return gameServer.serve(reply, {
            call,
            key: callRequest.username || textOf(callRequest.body['memberLoginName']).slice(0, 50) || null,
            handle: () =>
              sameText(callRequest.key, gameServer.credential('key'))
                ? handle(callRequest, gameServer)
                : refusedReply(1002),
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

function create({ body }: CallRequest, gameServer: GameServer): Answer {
  const name = textOf(body['memberLoginName']);
  const password = textOf(body['memberLoginPass']);
  if (!signedBy(body['signature'], `${name}:${password}`, gameServer)) return refusedReply(1001);
  if (!PLAYER_NAME.test(name) || !PLAYER_NAME.test(password)) return refusedReply(1006);
  return gameServer.players.create(name, password) ? doneReply({ username: name.toLowerCase() }) : refusedReply(1004);
}

function transfer(direction: 'in' | 'out') {
  return ({ username, body }: CallRequest, gameServer: GameServer): Answer => {
    const text = textOf(body['amount']);
    if (!signedBy(body['signature'], `${text}:${username}`, gameServer)) return refusedReply(1001);
    const amount = parseMoney(text);
    if (amount === undefined || amount === 0) return refusedReply(1006);
    const transferResult = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (transferResult === 'unknown-player') return refusedReply(1003);
    if (typeof transferResult === 'string') return refusedReply(1005);
    return doneReply({
      refId: `AMB${String(transferResult.id).padStart(10, '0')}`,
      before: formatMoneyWithCommas(transferResult.before),
      after: formatMoneyWithCommas(transferResult.after),
      amount: formatMoneyWithCommas(transferResult.amount),
    });
  };
}

function credit({ username }: CallRequest, { players }: GameServer): Answer {
  const player = players.find(username);
  if (!player) return refusedReply(1003);
  return doneReply({
    credit: formatMoneyWithCommas(player.balance),
    outstanding: formatMoneyWithCommas(player.outstanding),
    turnover: formatMoneyWithCommas(player.turnover),
  });
}

function resetPassword({ username, body }: CallRequest, gameServer: GameServer): Answer {
  const password = textOf(body['password']);
  if (!signedBy(body['signature'], password, gameServer)) return refusedReply(1001);
  if (!PLAYER_NAME.test(password)) return refusedReply(1006);
  return gameServer.players.setPassword(username, password) ? doneReply({}) : refusedReply(1003);
}
