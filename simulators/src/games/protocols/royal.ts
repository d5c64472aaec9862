import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';
import { amountOf, type Asked, isName, postCalls } from '../post-calls.ts';
import { sortedText } from '../signing.ts';

const WRONG_SIGN = 1;
const OTHER_AGENT = 2;
const MALFORMED = 3;
const NO_PLAYER = 4;
const NAME_TAKEN = 5;
const TOO_LITTLE = 6;
const QUEUED = 50;
const MAINTENANCE = 90;
const DECLINED = 91;

const done = (data: object): Answer => ({ status: 200, body: { error: 0, ...data } });
const refused = (error: number): Answer => ({ status: 200, body: { error } });

/** An agent API. Members sign in manually at the provider's page. */
export const royal: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance'] },
  says: { declined: () => refused(DECLINED), maintenance: () => refused(MAINTENANCE), unlisted: () => refused(QUEUED) },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/agent/create', act: create },
        { call: 'password', path: '/agent/password', act: password },
        { call: 'balance', path: '/agent/balance', act: balance },
        { call: 'deposit', path: '/agent/deposit', act: transfer('in') },
        { call: 'withdraw', path: '/agent/withdraw', act: transfer('out') },
      ],
      guard: (asked) => guard(asked, gameServer),
      malformed: () => refused(MALFORMED),
      about: ['username'],
    });
  },
};

function guard({ fields: { sign = '', ...signed } }: Asked, gameServer: GameServer): Answer | undefined {
  if (!sameText(sign, md5(`${sortedText(signed)}&key=${gameServer.credential('key')}`))) return refused(WRONG_SIGN);
  return sameText(signed['agent'] ?? '', gameServer.credential('agent')) ? undefined : refused(OTHER_AGENT);
}

function create({ fields, gameServer }: Asked): Answer {
  const { username, password: chosen } = fields;
  if (!isName(username) || !isName(chosen)) return refused(MALFORMED);
  return gameServer.players.create(username, chosen) ? done({ username: username.toLowerCase() }) : refused(NAME_TAKEN);
}

function password({ fields, gameServer }: Asked): Answer {
  const { username, password: chosen } = fields;
  if (!isName(username) || !isName(chosen)) return refused(MALFORMED);
  return gameServer.players.setPassword(username, chosen)
    ? done({ username: username.toLowerCase() })
    : refused(NO_PLAYER);
}

function balance({ fields, gameServer }: Asked): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refused(NO_PLAYER);
  return done({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: Asked): Answer => {
    const { username } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || amount === undefined) return refused(MALFORMED);
    const made = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (made === 'unknown-player') return refused(NO_PLAYER);
    if (typeof made === 'string') return refused(TOO_LITTLE);
    return done({
      ticket: made.id,
      username: made.username,
      amount: formatMoney(made.amount),
      before: formatMoney(made.before),
      after: formatMoney(made.after),
    });
  };
}
