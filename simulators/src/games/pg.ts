import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Answer, type Server, unreadable } from '../control/serve.ts';
import { publicBase } from '../links.ts';
import { moneyNumber, parseMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import { sameText } from '../secrets.ts';
import { gameNamed } from './catalogue.ts';
import type { GameTransfer, Players } from './players.ts';
import { OPEN_WITHIN_SECONDS, type Sessions } from './sessions.ts';

type Deps = { server: Server; outside: Outside; players: Players; sessions: Sessions };
type Fields = Record<string, string>;

const MESSAGES = {
  1034: 'Invalid request',
  1035: 'Operation refused',
  1204: 'Invalid operator',
  1305: 'Player already exists',
  3004: 'Player does not exist',
  3013: 'Not enough cash balance',
  3040: 'Transaction does not exist',
  3109: 'transfer_reference was used with other values',
  3200: 'Currency is not supported',
  3301: 'Game does not exist',
} as const;

const NAME = /^[A-Za-z0-9]{1,16}$/;
const REFERENCE = /^[A-Za-z0-9_-]{1,50}$/;
const TYPES = { in: 1, out: 2, 'all-out': 3 } as const;

function done(data: object): Answer {
  return { status: 200, body: { data, error: null } };
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { data: null, error: { code: String(code), message: MESSAGES[code] } } };
}

/** Form fields and JSON bodies alike as text; what is neither text nor number is not there. */
function fieldsOf(body: unknown): Fields {
  const entries = Object.entries((typeof body === 'object' && body) || {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The provider `pg`: transfers with the caller's reference, and a call that tells what became of one. */
export function pgRoutes(app: FastifyInstance, deps: Deps): void {
  const calls: Record<string, (fields: Fields, request: FastifyRequest, deps: Deps) => Answer> = {
    'Player/v1/Create': create,
    'Player/v1/SetPassword': setPassword,
    'Player/v1/Kick': kick,
    'Cash/v3/GetPlayerWallet': wallet,
    'Cash/v3/TransferIn': (fields) => transfer(fields, 'in', deps),
    'Cash/v3/TransferOut': (fields) => transfer(fields, 'out', deps),
    'Cash/v3/TransferAllOut': (fields) => transfer(fields, 'all-out', deps),
    'Cash/v3/GetSingleTransaction': single,
    'Login/v1/LoginGame': login,
  };
  for (const [path, act] of Object.entries(calls)) {
    app.post<{ Body: unknown }>(
      `/games/pg/${path}`,
      { errorHandler: unreadable(() => refused(1034)) },
      (request, reply) => {
        const fields = fieldsOf(request.body);
        return deps.server.serve(reply, {
          target: 'game:pg',
          call: path.split('/').at(-1) ?? path,
          key: (fields['transfer_reference'] ?? fields['player_name'])?.slice(0, 50) ?? null,
          act: () => (isOperator(fields, deps) ? act(fields, request, deps) : refused(1204)),
          decline: () => refused(1035),
        });
      },
    );
  }
}

function isOperator(fields: Fields, { outside }: Deps): boolean {
  const { operatorToken, secretKey } = outside.games.pg;
  return sameText(fields['operator_token'] ?? '', operatorToken) && sameText(fields['secret_key'] ?? '', secretKey);
}

function create(fields: Fields, _request: FastifyRequest, { players }: Deps): Answer {
  const name = fields['player_name'] ?? '';
  const password = fields['password'];
  if (!NAME.test(name) || (password !== undefined && !NAME.test(password))) return refused(1034);
  if (fields['currency'] !== 'THB') return refused(3200);
  return players.create(name, password ?? null) ? done({ action_result: 1 }) : refused(1305);
}

function setPassword(fields: Fields, _request: FastifyRequest, { players }: Deps): Answer {
  const name = fields['player_name'] ?? '';
  const password = fields['password'] ?? '';
  if (!NAME.test(name) || !NAME.test(password)) return refused(1034);
  return players.setPassword(name, password) ? done({ action_result: 1 }) : refused(3004);
}

function kick(fields: Fields, _request: FastifyRequest, { players, sessions }: Deps): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  sessions.endAll('pg', player.username);
  return done({ action_result: 1 });
}

function wallet(fields: Fields, _request: FastifyRequest, { players }: Deps): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  return done({
    currencyCode: 'THB',
    totalBalance: moneyNumber(player.balance + player.outstanding),
    cashBalance: moneyNumber(player.balance),
    outstandingBalance: moneyNumber(player.outstanding),
  });
}

function transfer(fields: Fields, direction: GameTransfer['direction'], { players }: Deps): Answer {
  const username = fields['player_name'] ?? '';
  const reference = fields['transfer_reference'] ?? '';
  const amount = direction === 'all-out' ? 0 : parseMoney(fields['amount']);
  if (!NAME.test(username) || !REFERENCE.test(reference) || amount === undefined) return refused(1034);
  if (direction !== 'all-out' && amount === 0) return refused(1034);
  if (fields['currency'] !== 'THB') return refused(3200);
  const known = players.transferByReference(reference);
  if (known) return isSame(known, username, direction, amount) ? done(transferred(known)) : refused(3109);
  const result = players.transfer({ username, direction, amount, reference });
  if (result === 'unknown-player') return refused(3004);
  return result === 'not-enough' ? refused(3013) : done(transferred(result));
}

function isSame(known: GameTransfer, username: string, direction: GameTransfer['direction'], amount: number): boolean {
  if (known.username !== username.toLowerCase() || known.direction !== direction) return false;
  return direction === 'all-out' || known.asked === amount;
}

function transferred(made: GameTransfer): object {
  return {
    transactionId: made.id,
    transferReference: made.reference,
    balanceAmountBefore: moneyNumber(made.before),
    balanceAmount: moneyNumber(made.after),
    amount: moneyNumber(made.amount),
  };
}

function single(fields: Fields, _request: FastifyRequest, { players }: Deps): Answer {
  const made = players.transferByReference(fields['transfer_reference'] ?? '');
  if (!made || made.username !== (fields['player_name'] ?? '').toLowerCase()) return refused(3040);
  return done({
    transactionId: made.id,
    transferReference: made.reference,
    playerName: made.username,
    transactionType: TYPES[made.direction],
    transactionAmount: moneyNumber(made.amount),
    balanceAmountBefore: moneyNumber(made.before),
    balanceAmount: moneyNumber(made.after),
    transactionDateTime: made.at,
  });
}

function login(fields: Fields, request: FastifyRequest, { players, sessions, outside }: Deps): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  const game = gameNamed('pg', fields['game_code']);
  if (!game) return refused(3301);
  const language = fields['language'] === 'en' ? 'en' : 'th';
  const wanted = fields['return_url'] ?? '';
  const returnUrl = /^https?:\/\//.test(wanted) && URL.canParse(wanted) ? wanted : null;
  const token = sessions.begin('pg', { username: player.username, language, returnUrl });
  return done({
    url: `${publicBase(request, outside)}/games/pg/play/?game=${game}&l=${language}&ops=${token}`,
    operator_player_session: token,
    expireIn: OPEN_WITHIN_SECONDS,
  });
}
