import type { Answer } from '../../control/serve.ts';
import { formatMoney } from '../../money.ts';
import { md5, sameText } from '../../outside/secrets.ts';
import type { GameServer, Protocol } from '../game-server.ts';
import { amountOf, type ProviderRequest, isName, postCalls } from '../post-calls.ts';
import { sortedText } from '../signing.ts';

const WRONG_SIGN = 1;
const OTHER_AGENT = 2;
const MALFORMED_ERROR = 3;
const NO_PLAYER = 4;
const NAME_TAKEN = 5;
const TOO_LITTLE = 6;
const QUEUED_ERROR = 50;
const MAINTENANCE_ERROR = 90;
const DECLINED_ERROR = 91;

const doneReply = (data: object): Answer => ({ status: 200, body: { error: 0, ...data } });
const refusedReply = (error: number): Answer => ({ status: 200, body: { error } });

/** An agent API. Members sign in manually at the provider's page. */
export const royal: Protocol = {
  credentials: ['agent', 'key'],
  calls: { moving: ['create', 'password', 'deposit', 'withdraw'], others: ['balance'] },
  denialReplies: {
    declined: () => refusedReply(DECLINED_ERROR),
    maintenance: () => refusedReply(MAINTENANCE_ERROR),
    unlisted: () => refusedReply(QUEUED_ERROR),
  },
  routes: (app, gameServer) => {
    postCalls(app, gameServer, {
      calls: [
        { call: 'create', path: '/agent/create', handle: create },
        { call: 'password', path: '/agent/password', handle: password },
        { call: 'balance', path: '/agent/balance', handle: balance },
        { call: 'deposit', path: '/agent/deposit', handle: transfer('in') },
        { call: 'withdraw', path: '/agent/withdraw', handle: transfer('out') },
      ],
      guard: (callRequest) => checkSignature(callRequest, gameServer),
      malformed: () => refusedReply(MALFORMED_ERROR),
      about: ['username'],
    });
  },
};

function checkSignature(
  { fields: { sign = '', ...signedFields } }: ProviderRequest,
  gameServer: GameServer,
): Answer | undefined {
  if (!sameText(sign, md5(`${sortedText(signedFields)}&key=${gameServer.credential('key')}`)))
    return refusedReply(WRONG_SIGN);
  return sameText(signedFields['agent'] ?? '', gameServer.credential('agent')) ? undefined : refusedReply(OTHER_AGENT);
}

function create({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password: newPassword } = fields;
  if (!isName(username) || !isName(newPassword)) return refusedReply(MALFORMED_ERROR);
  return gameServer.players.create(username, newPassword)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply(NAME_TAKEN);
}

function password({ fields, gameServer }: ProviderRequest): Answer {
  const { username, password: newPassword } = fields;
  if (!isName(username) || !isName(newPassword)) return refusedReply(MALFORMED_ERROR);
  return gameServer.players.setPassword(username, newPassword)
    ? doneReply({ username: username.toLowerCase() })
    : refusedReply(NO_PLAYER);
}

function balance({ fields, gameServer }: ProviderRequest): Answer {
  const player = gameServer.players.find(fields['username'] ?? '');
  if (!player) return refusedReply(NO_PLAYER);
  return doneReply({
    username: player.username,
    balance: formatMoney(player.balance),
    outstanding: formatMoney(player.outstanding),
    turnover: formatMoney(player.turnover),
  });
}

function transfer(direction: 'in' | 'out') {
  return ({ fields, gameServer }: ProviderRequest): Answer => {
    const { username } = fields;
    const amount = amountOf(fields['amount']);
    if (!isName(username) || amount === undefined) return refusedReply(MALFORMED_ERROR);
    const transferResult = gameServer.players.transfer({ username, direction, amount, reference: null });
    if (transferResult === 'unknown-player') return refusedReply(NO_PLAYER);
    if (typeof transferResult === 'string') return refusedReply(TOO_LITTLE);
    return doneReply({
      ticket: transferResult.id,
      username: transferResult.username,
      amount: formatMoney(transferResult.amount),
      before: formatMoney(transferResult.before),
      after: formatMoney(transferResult.after),
    });
  };
}
