import type { FastifyRequest } from 'fastify';
import { type Answer, unreadable } from '../../control/serve.ts';
import { moneyNumber, parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type Fields, fieldsOf, type GameServer, languageOf, type Protocol, returnUrlOf } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import type { GameTransfer } from '../players.ts';
import { OPEN_WITHIN_SECONDS } from '../sessions.ts';

const REFUSAL_MESSAGES = {
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

const PLAYER_NAME = /^[A-Za-z0-9]{1,16}$/;
const TRANSFER_REFERENCE = /^[A-Za-z0-9_-]{1,50}$/;
const TYPE_OF_DIRECTION = { in: 1, out: 2, 'all-out': 3 } as const;

function doneReply(data: object): Answer {
  return { status: 200, body: { data, error: null } };
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { data: null, error: { code: String(code), message: REFUSAL_MESSAGES[code] } } };
}

type CallHandler = (fields: Fields, gameServer: GameServer, request: FastifyRequest) => Answer;

const CALL_HANDLERS: Readonly<Record<string, CallHandler>> = {
  'Player/v1/Create': create,
  'Player/v1/SetPassword': setPassword,
  'Player/v1/Kick': endSessions,
  'Cash/v3/GetPlayerWallet': readWallet,
  'Cash/v3/TransferIn': (fields, gameServer) => transfer(fields, 'in', gameServer),
  'Cash/v3/TransferOut': (fields, gameServer) => transfer(fields, 'out', gameServer),
  'Cash/v3/TransferAllOut': (fields, gameServer) => transfer(fields, 'all-out', gameServer),
  'Cash/v3/GetSingleTransaction': findTransfer,
  'Login/v1/LoginGame': login,
};

/** Transfers with a client reference, and a status inquiry. */
export const pg: Protocol = {
  credentials: ['operatorToken', 'secretKey'],
  calls: {
    moving: ['Create', 'SetPassword', 'TransferIn', 'TransferOut', 'TransferAllOut'],
    others: ['GetPlayerWallet', 'GetSingleTransaction', 'LoginGame', 'Kick'],
    referenced: ['TransferIn', 'TransferOut', 'TransferAllOut'],
    checks: ['GetSingleTransaction'],
  },
  denialReplies: {
    declined: () => refusedReply(1035),
    maintenance: () => refusedReply(1400),
    unlisted: () => refusedReply(1050),
    unknownPlayer: () => refusedReply(3004),
    duplicate: () => refusedReply(3109),
    absent: () => refusedReply(3040),
  },
  routes: (app, gameServer) => {
    for (const [path, handle] of Object.entries(CALL_HANDLERS)) {
      app.post<{ Body: unknown }>(
        `/games/${gameServer.provider}/${path}`,
        { errorHandler: unreadable(() => refusedReply(1034)) },
        (request, reply) => {
          const fields = fieldsOf(request.body);
          return gameServer.serve(reply, {
            call: path.split('/').at(-1) ?? path,
            key: (fields['transfer_reference'] ?? fields['player_name'])?.slice(0, 50) ?? null,
            handle: () => (isOperator(fields, gameServer) ? handle(fields, gameServer, request) : refusedReply(1204)),
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
  if (!PLAYER_NAME.test(name) || (password !== undefined && !PLAYER_NAME.test(password))) return refusedReply(1034);
  if (fields['currency'] !== 'THB') return refusedReply(3200);
  return players.create(name, password ?? null) ? doneReply({ action_result: 1 }) : refusedReply(1305);
}

function setPassword(fields: Fields, { players }: GameServer): Answer {
  const name = fields['player_name'] ?? '';
  const password = fields['password'] ?? '';
  if (!PLAYER_NAME.test(name) || !PLAYER_NAME.test(password)) return refusedReply(1034);
  return players.setPassword(name, password) ? doneReply({ action_result: 1 }) : refusedReply(3004);
}

function endSessions(fields: Fields, { players, provider, sessions }: GameServer): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refusedReply(3004);
  sessions.endAll(provider, player.username);
  return doneReply({ action_result: 1 });
}

function readWallet(fields: Fields, { players }: GameServer): Answer {
  const player = players.find(fields['player_name'] ?? '');
  if (!player) return refusedReply(3004);
  return doneReply({
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
  if (!PLAYER_NAME.test(username) || !TRANSFER_REFERENCE.test(reference) || amount === undefined)
    return refusedReply(1034);
  if (direction !== 'all-out' && amount === 0) return refusedReply(1034);
  if (fields['currency'] !== 'THB') return refusedReply(3200);
  const transferResult = moveOnce(players, { username, direction, amount, reference });
  if (transferResult === 'other-values') return refusedReply(3109);
  if (transferResult === 'unknown-player') return refusedReply(3004);
  return typeof transferResult === 'string' ? refusedReply(3013) : doneReply(transferView(transferResult));
}

function transferView(transfer: GameTransfer): object {
  return {
    transactionId: transfer.id,
    transferReference: transfer.reference,
    balanceAmountBefore: moneyNumber(transfer.before),
    balanceAmount: moneyNumber(transfer.after),
    amount: moneyNumber(transfer.amount),
  };
}

function findTransfer(fields: Fields, { players }: GameServer): Answer {
  const transfer = players.transferByReference(fields['transfer_reference'] ?? '');
  if (!transfer || transfer.username !== (fields['player_name'] ?? '').toLowerCase()) return refusedReply(3040);
  return doneReply({
    transactionId: transfer.id,
    transferReference: transfer.reference,
    playerName: transfer.username,
    transactionType: TYPE_OF_DIRECTION[transfer.direction],
    transactionAmount: moneyNumber(transfer.amount),
    balanceAmountBefore: moneyNumber(transfer.before),
    balanceAmount: moneyNumber(transfer.after),
    transactionDateTime: transfer.at,
  });
}

function login(fields: Fields, gameServer: GameServer, request: FastifyRequest): Answer {
  const player = gameServer.players.find(fields['player_name'] ?? '');
  if (!player) return refusedReply(3004);
  const game = gameServer.gameNamed(fields['game_code']);
  if (!game) return refusedReply(3301);
  if (gameServer.state.launchRefused) return refusedReply(1035);
  const language = languageOf(fields['language']);
  const returnUrl = returnUrlOf(fields['return_url']);
  const { token, path } = gameServer.begin({ username: player.username, game, language, returnUrl });
  return doneReply({
    url: gameServer.address(request, path),
    operator_player_session: token,
    expireIn: OPEN_WITHIN_SECONDS,
  });
}
