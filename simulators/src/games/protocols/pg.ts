import type { FastifyRequest } from 'fastify';
import { type Answer, unreadable } from '../../control/serve.ts';
import { moneyNumber, parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type Fields, fieldsOf, type GameServer, languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { OPEN_WITHIN_SECONDS } from '../sessions.ts';

const MESSAGES = {
  1034: 'Invalid request',
  1035: 'Operation refused',
  1050: 'Queued',
  1204: 'Invalid operator',
  1305: 'Player already exists',
  1400: 'Under maintenance',
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

type Act = (fields: Fields, gameServer: GameServer, request: FastifyRequest) => Answer;

const CALLS: Readonly<Record<string, Act>> = {
  'Player/v1/Create': create,
  'Player/v1/SetPassword': setPassword,
  'Player/v1/Kick': kick,
  'Cash/v3/GetPlayerWallet': wallet,
  'Cash/v3/TransferIn': (fields, gameServer) => transfer(fields, 'in', gameServer),
  'Cash/v3/TransferOut': (fields, gameServer) => transfer(fields, 'out', gameServer),
  'Cash/v3/TransferAllOut': (fields, gameServer) => transfer(fields, 'all-out', gameServer),
  'Cash/v3/GetSingleTransaction': single,
  'Login/v1/LoginGame': login,
};

/** Transfers with the caller's reference, and a status inquiry. */
export const pg: Protocol = {
  credentials: ['operatorToken', 'secretKey'],
  calls: {
    moving: ['Create', 'SetPassword', 'TransferIn', 'TransferOut', 'TransferAllOut'],
    others: ['GetPlayerWallet', 'GetSingleTransaction', 'LoginGame', 'Kick'],
    referenced: ['TransferIn', 'TransferOut', 'TransferAllOut'],
    checks: ['GetSingleTransaction'],
  },
  says: {
    declined: () => refused(1035),
    maintenance: () => refused(1400),
    unlisted: () => refused(1050),
    unknownPlayer: () => refused(3004),
    duplicate: () => refused(3109),
    absent: () => refused(3040),
  },
  routes: (app, gameServer) => {
    for (const [path, act] of Object.entries(CALLS)) {
      app.post<{ Body: unknown }>(
        `/games/${gameServer.provider}/${path}`,
        { errorHandler: unreadable(() => refused(1034)) },
        (request, reply) => {
          const fields = fieldsOf(request.body);
          return gameServer.serve(reply, {
            call: path.split('/').at(-1) ?? path,
            key: (fields['transfer_reference'] ?? fields['player_name'])?.slice(0, 50) ?? null,
            act: () => (isOperator(fields, gameServer) ? act(fields, gameServer, request) : refused(1204)),
          });
        },
      );
    }
  },
};

function isOperator(fields: Fields, gameServer: GameServer): boolean {
  return (
    sameText(fields['operator_token'] ?? '', gameServer.credential('operatorToken')) &&
    sameText(fields['secret_key'] ?? '', gameServer.credential('secretKey'))
  );
}

function create(fields: Fields, { players }: GameServer): Answer {
  const name = fields['player_name'] ?? '';
  const password = fields['password'];
  if (!NAME.test(name) || (password !== undefined && !NAME.test(password))) return refused(1034);
  if (fields['currency'] !== 'THB') return refused(3200);
  return players.create(name, password ?? null) ? done({ action_result: 1 }) : refused(1305);
}

function setPassword(fields: Fields, { players }: GameServer): Answer {
  const name = fields['player_name'] ?? '';
  const password = fields['password'] ?? '';
  if (!NAME.test(name) || !NAME.test(password)) return refused(1034);
  return players.setPassword(name, password) ? done({ action_result: 1 }) : refused(3004);
}

function kick(fields: Fields, { players, provider, sessions }: GameServer): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  sessions.endAll(provider, player.username);
  return done({ action_result: 1 });
}

function wallet(fields: Fields, { players }: GameServer): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  return done({
    currencyCode: 'THB',
    totalBalance: moneyNumber(player.balance + player.outstanding),
    cashBalance: moneyNumber(player.balance),
    outstandingBalance: moneyNumber(player.outstanding),
  });
}

function transfer(fields: Fields, direction: GameTransfer['direction'], { players }: GameServer): Answer {
  const username = fields['player_name'] ?? '';
  const reference = fields['transfer_reference'] ?? '';
  const amount = direction === 'all-out' ? 0 : parseMoney(fields['amount']);
  if (!NAME.test(username) || !REFERENCE.test(reference) || amount === undefined) return refused(1034);
  if (direction !== 'all-out' && amount === 0) return refused(1034);
  if (fields['currency'] !== 'THB') return refused(3200);
  const made = moveOnce(players, { username, direction, amount, reference });
  if (made === 'other-values') return refused(3109);
  if (made === 'unknown-player') return refused(3004);
  return typeof made === 'string' ? refused(3013) : done(transferred(made));
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

function single(fields: Fields, { players }: GameServer): Answer {
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

function login(fields: Fields, gameServer: GameServer, request: FastifyRequest): Answer {
  const player = gameServer.players.find(fields['player_name'] ?? '');
  if (!player) return refused(3004);
  const game = gameServer.gameNamed(fields['game_code']);
  if (!game) return refused(3301);
  if (gameServer.state.launchRefused) return refused(1035);
  const language = languageOf(fields['language']);
  const returnUrl = returnUrlOf(fields['return_url']);
  const { token, path } = gameServer.begin({ username: player.username, game, language, returnUrl });
  return done({
    url: gameServer.address(request, path),
    operator_player_session: token,
    expireIn: OPEN_WITHIN_SECONDS,
  });
}
