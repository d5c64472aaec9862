import { createHmac } from 'node:crypto';
import { type Answer, unreadable } from '../../control/serve.ts';
import { moneyNumber } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { thaiTime } from '../../time.ts';
import { changeOf, parseChange } from '../change.ts';
import { type Fields, fieldsOf, type GameServer, type Protocol } from '../game-server.ts';
import { moveOnce } from '../move-once.ts';
import { isName, isReference } from '../post-calls.ts';
import { isInTime, sortedText } from '../signing.ts';

const STATUSES = {
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

function done(body: object, status = 200): Answer {
  return { status, body };
}

function refused(message: keyof typeof STATUSES): Answer {
  return { status: STATUSES[message], body: { Message: message } };
}

const METHODS: Readonly<Record<string, (fields: Fields, gameServer: GameServer) => Answer>> = {
  CU: create,
  SP: setPassword,
  GC: credit,
  TC: transfer,
  TCH: check,
  PLAY: play,
};

/** One address for all calls, signed over the sorted form; idempotent caller's references. */
export const joker2: Protocol = {
  credentials: ['appId', 'secret'],
  calls: { moving: ['CU', 'SP', 'TC'], others: ['GC', 'TCH', 'PLAY'], referenced: ['TC'], checks: ['TCH'] },
  says: {
    declined: () => refused('Operation refused'),
    maintenance: () => refused('Under maintenance'),
    unlisted: () => refused('Request queued'),
    unknownPlayer: () => refused('User not found'),
    duplicate: () => refused('Duplicate RequestID'),
    absent: () => refused('Transaction not found'),
  },
  routes: (app, gameServer) => {
    app.post<{ Body: unknown; Querystring: Record<string, unknown> }>(
      `/games/${gameServer.provider}/`,
      { errorHandler: unreadable(() => refused('Invalid parameter')) },
      ({ body, query }, reply) => {
        const fields = fieldsOf(body);
        const method = fields['Method'] ?? '';
        const act = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
        if (!act) return reply.code(400).send(refused('Invalid parameter').body);
        return gameServer.serve(reply, {
          call: method,
          key: (fields['RequestID'] ?? fields['Username'])?.slice(0, 50) ?? null,
          act: () => objection(fields, fieldsOf(query), gameServer) ?? act(fields, gameServer),
        });
      },
    );
  },
  entrance: { path: 'launch', returnField: 'redirectURL' },
};

function objection(fields: Fields, { AppID = '', Signature = '' }: Fields, gameServer: GameServer): Answer | undefined {
  if (!sameText(AppID, gameServer.credential('appId'))) return refused('Invalid AppID');
  const expected = createHmac('sha1', gameServer.credential('secret'))
    .update(sortedText(fields), 'utf8')
    .digest('base64');
  const isRight = sameText(Signature, expected) && isInTime(fields['Timestamp']);
  return isRight ? undefined : refused('Invalid signature');
}

function create({ Username = '' }: Fields, { players }: GameServer): Answer {
  if (!isName(Username)) return refused('Invalid parameter');
  return players.create(Username, null) ? done({ Status: 'Created' }, 201) : done({ Status: 'OK' });
}

function setPassword({ Username = '', Password = '' }: Fields, { players }: GameServer): Answer {
  if (!isName(Password)) return refused('Invalid parameter');
  return players.setPassword(Username, Password) ? done({ Status: 'OK' }) : refused('User not found');
}

function credit({ Username = '' }: Fields, { players }: GameServer): Answer {
  const player = players.find(Username);
  if (!player) return refused('User not found');
  return done({
    Username: player.username,
    Credit: moneyNumber(player.balance),
    OutstandingCredit: moneyNumber(player.outstanding),
    Turnover: moneyNumber(player.turnover),
  });
}

function transfer({ Username = '', Amount, RequestID = '' }: Fields, { players }: GameServer): Answer {
  const change = parseChange(Amount);
  if (!change || !isReference(RequestID)) return refused('Invalid parameter');
  const made = moveOnce(players, { username: Username, ...change, reference: RequestID });
  if (made === 'other-values') return refused('Duplicate RequestID');
  if (made === 'unknown-player') return refused('User not found');
  if (typeof made === 'string') return refused('Insufficient credit');
  return done({
    Username: made.username,
    RequestID: made.reference,
    Credit: moneyNumber(made.after),
    BeforeCredit: moneyNumber(made.before),
    Time: thaiTime(made.at),
  });
}

function check({ RequestID = '' }: Fields, { players }: GameServer): Answer {
  const made = players.transferByReference(RequestID);
  if (!made) return refused('Transaction not found');
  return done({
    Username: made.username,
    RequestID: made.reference,
    Amount: moneyNumber(changeOf(made)),
    Time: thaiTime(made.at),
  });
}

function play({ Username = '' }: Fields, gameServer: GameServer): Answer {
  const player = gameServer.players.find(Username);
  if (!player) return refused('User not found');
  const game = gameServer.gameNamed(undefined);
  if (!game || gameServer.state.launchRefused) return refused('Operation refused');
  const { token } = gameServer.begin({ username: player.username, game, language: 'th' });
  return done({ Username: player.username, Token: token });
}
