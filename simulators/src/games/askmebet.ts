import type { FastifyInstance } from 'fastify';
import { type Answer, type Server, unreadable } from '../control/serve.ts';
import { formatMoneyWithCommas, parseMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import { md5, sameText } from '../secrets.ts';
import type { Players } from './players.ts';

type Deps = { server: Server; outside: Outside; players: Players };
type Body = Record<string, unknown>;
type Asked = { key: string; username: string; body: Body };

const MESSAGES = {
  1001: 'Invalid signature',
  1002: 'Invalid key',
  1003: 'Member not found',
  1004: 'Member already exists',
  1005: 'Credit is not enough',
  1006: 'Invalid value',
  1099: 'Refused',
} as const;

const NAME = /^[A-Za-z0-9]{1,16}$/;

function done(result: object): Answer {
  return { status: 200, body: { code: 0, message: 'success', result } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { code, message: MESSAGES[code], result: null } };
}

/** A field as the text that was signed. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The provider `askmebet`: signed calls, no reference of the caller, nothing idempotent, no way to ask afterwards. */
export function askmebetRoutes(app: FastifyInstance, deps: Deps): void {
  const calls = [
    { call: 'create', method: 'POST', path: 'create/:key', act: create },
    { call: 'deposit', method: 'POST', path: 'deposit/:key/:username', act: transfer('in') },
    { call: 'withdraw', method: 'POST', path: 'withdraw/:key/:username', act: transfer('out') },
    { call: 'credit', method: 'GET', path: 'credit/:key/:username', act: credit },
    { call: 'reset-password', method: 'PUT', path: 'reset-password/:key/:username', act: resetPassword },
  ] as const;
  for (const { call, method, path, act } of calls) {
    app.route<{ Params: { key: string; username?: string }; Body: unknown }>({
      method,
      url: `/games/askmebet/v0.1/partner/member/${path}`,
      errorHandler: unreadable(() => refused(1006)),
      handler: ({ params, body }, reply) => {
        const asked: Asked = {
          key: params.key,
          username: params.username ?? '',
          body: (typeof body === 'object' && body !== null ? body : {}) as Body,
        };
        return deps.server.serve(reply, {
          target: 'game:askmebet',
          call,
          key: asked.username || textOf(asked.body['memberLoginName']).slice(0, 50) || null,
          act: () => (sameText(asked.key, deps.outside.games.askmebet.key) ? act(asked, deps) : refused(1002)),
          decline: () => refused(1099),
        });
      },
    });
  }
}

function signedBy(signature: unknown, text: string, { outside }: Deps): boolean {
  return sameText(textOf(signature), md5(`${text}:${outside.games.askmebet.agent}`));
}

function create({ body }: Asked, deps: Deps): Answer {
  const name = textOf(body['memberLoginName']);
  const password = textOf(body['memberLoginPass']);
  if (!signedBy(body['signature'], `${name}:${password}`, deps)) return refused(1001);
  if (!NAME.test(name) || !NAME.test(password)) return refused(1006);
  return deps.players.create(name, password) ? done({ username: name.toLowerCase() }) : refused(1004);
}

function transfer(direction: 'in' | 'out') {
  return ({ username, body }: Asked, deps: Deps): Answer => {
    const text = textOf(body['amount']);
    if (!signedBy(body['signature'], `${text}:${username}`, deps)) return refused(1001);
    const amount = parseMoney(text);
    if (amount === undefined || amount === 0) return refused(1006);
    const made = deps.players.transfer({ username, direction, amount, reference: null });
    if (made === 'unknown-player') return refused(1003);
    if (made === 'not-enough') return refused(1005);
    return done({
      refId: `AMB${String(made.id).padStart(10, '0')}`,
      before: formatMoneyWithCommas(made.before),
      after: formatMoneyWithCommas(made.after),
      amount: formatMoneyWithCommas(made.amount),
    });
  };
}

function credit({ username }: Asked, { players }: Deps): Answer {
  const player = players.find(username);
  if (!player) return refused(1003);
  return done({
    credit: formatMoneyWithCommas(player.balance),
    outstanding: formatMoneyWithCommas(player.outstanding),
  });
}

function resetPassword({ username, body }: Asked, deps: Deps): Answer {
  const password = textOf(body['password']);
  if (!signedBy(body['signature'], password, deps)) return refused(1001);
  if (!NAME.test(password)) return refused(1006);
  return deps.players.setPassword(username, password) ? done({}) : refused(1003);
}
