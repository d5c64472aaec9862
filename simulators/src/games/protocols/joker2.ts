import { createHmac } from 'node:crypto';
import { type Answer, unreadable } from '../../control/serve.ts';
import { moneyNumber } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { thaiTime } from '../../time.ts';
import { type Fields, fieldsOf, type GameServer, type Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import { isName, isReference } from '../post-calls.ts';
import { signedAmountOf, parseSignedAmount } from '../signed-amount.ts';
import { isInTime, sortedText } from '../signing.ts';

const STATUS_OF_MESSAGE = {
  'Invalid parameter': 400,
  'Invalid AppID': 403,
  'Invalid signature': 403,
  'User not found': 404,
  'Transaction not found': 404,
  'Insufficient credit': 400,
  'Duplicate RequestID': 409,
  'Request queued': 400,
  'Under maintenance': 403,
  'Operation refused': 400,
} as const;

function doneReply(body: object, status = 200): Answer {
  return { status, body };
}

function refusedReply(message: keyof typeof STATUS_OF_MESSAGE): Answer {
  return { status: STATUS_OF_MESSAGE[message], body: { Message: message } };
}

const METHOD_HANDLERS: Readonly<Record<string, (fields: Fields, gameServer: GameServer) => Answer>> = {
  CU: create,
  SP: setPassword,
  GC: credit,
  TC: transfer,
  TCH: checkTransfer,
  PLAY: openGame,
};

/** One URL for all calls, signed over the sorted form; idempotent client references. */
export const joker2: Protocol = {
  credentials: ['appId', 'secret'],
  calls: { moving: ['CU', 'SP', 'TC'], others: ['GC', 'TCH', 'PLAY'], referenced: ['TC'], checks: ['TCH'] },
  denialReplies: {
    declined: () => refusedReply('Operation refused'),
    maintenance: () => refusedReply('Under maintenance'),
    unlisted: () => refusedReply('Request queued'),
    unknownPlayer: () => refusedReply('User not found'),
    duplicate: () => refusedReply('Duplicate RequestID'),
    absent: () => refusedReply('Transaction not found'),
  },
  routes: (app, gameServer) => {
    app.post<{ Body: unknown; Querystring: Record<string, unknown> }>(
      `/games/${gameServer.provider}/`,
      { errorHandler: unreadable(() => refusedReply('Invalid parameter')) },
      ({ body, query }, reply) => {
        const fields = fieldsOf(body);
        const method = fields['Method'] ?? '';
        const handle = Object.hasOwn(METHOD_HANDLERS, method) ? METHOD_HANDLERS[method] : undefined;
        if (!handle) return reply.code(400).send(refusedReply('Invalid parameter').body);
        return gameServer.serve(reply, {
          call: method,
          key: (fields['RequestID'] ?? fields['Username'])?.slice(0, 50) ?? null,
          handle: () => findObjection(fields, fieldsOf(query), gameServer) ?? handle(fields, gameServer),
        });
      },
    );
  },
  entrance: { path: 'launch', returnField: 'redirectURL' },
};

function findObjection(
  fields: Fields,
  { AppID = '', Signature = '' }: Fields,
  gameServer: GameServer,
): Answer | undefined {
  if (!sameText(AppID, gameServer.credential('appId'))) return refusedReply('Invalid AppID');
  const expectedSignature = createHmac('sha1', gameServer.credential('secret'))
    .update(sortedText(fields), 'utf8')
    .digest('base64');
  const isRight = sameText(Signature, expectedSignature) && isInTime(fields['Timestamp']);
  return isRight ? undefined : refusedReply('Invalid signature');
}

function create({ Username = '' }: Fields, { players }: GameServer): Answer {
  if (!isName(Username)) return refusedReply('Invalid parameter');
  return players.create(Username, null) ? doneReply({ Status: 'Created' }, 201) : doneReply({ Status: 'OK' });
}

function setPassword({ Username = '', Password = '' }: Fields, { players }: GameServer): Answer {
  if (!isName(Password)) return refusedReply('Invalid parameter');
  return players.setPassword(Username, Password) ? doneReply({ Status: 'OK' }) : refusedReply('User not found');
}

function credit({ Username = '' }: Fields, { players }: GameServer): Answer {
  const player = players.find(Username);
  if (!player) return refusedReply('User not found');
  return doneReply({
    Username: player.username,
    Credit: moneyNumber(player.balance),
    OutstandingCredit: moneyNumber(player.outstanding),
    Turnover: moneyNumber(player.turnover),
  });
}

function transfer({ Username = '', Amount, RequestID = '' }: Fields, { players }: GameServer): Answer {
  const balanceChange = parseSignedAmount(Amount);
  if (!balanceChange || !isReference(RequestID)) return refusedReply('Invalid parameter');
  const transferResult = moveOnce(players, { username: Username, ...balanceChange, reference: RequestID });
  if (transferResult === 'other-values') return refusedReply('Duplicate RequestID');
  if (transferResult === 'unknown-player') return refusedReply('User not found');
  if (typeof transferResult === 'string') return refusedReply('Insufficient credit');
  return doneReply({
    Username: transferResult.username,
    RequestID: transferResult.reference,
    Credit: moneyNumber(transferResult.after),
    BeforeCredit: moneyNumber(transferResult.before),
    Time: thaiTime(transferResult.at),
  });
}

function checkTransfer({ RequestID = '' }: Fields, { players }: GameServer): Answer {
  const transfer = players.transferByReference(RequestID);
  if (!transfer) return refusedReply('Transaction not found');
  return doneReply({
    Username: transfer.username,
    RequestID: transfer.reference,
    Amount: moneyNumber(signedAmountOf(transfer)),
    Time: thaiTime(transfer.at),
  });
}

function openGame({ Username = '' }: Fields, gameServer: GameServer): Answer {
  const player = gameServer.players.find(Username);
  if (!player) return refusedReply('User not found');
  const game = gameServer.gameNamed(undefined);
  if (!game || gameServer.state.launchRefused) return refusedReply('Operation refused');
  const { token } = gameServer.begin({ username: player.username, game, language: 'th' });
  return doneReply({ Username: player.username, Token: token });
}
