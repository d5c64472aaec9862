import { generateKeyPairSync } from 'node:crypto';
import { credits, type Movement } from '../../../src/adapters/game/port.ts';

export const username = 'kpmali01';
export const reference = 'T0000000000000001';
export const MOVEMENT: Movement = { username, direction: 'in', amount: credits(10_000n), reference };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export type Json = Record<string, unknown>;
export type Reply = { status?: number; json: unknown };
export type Kind = {
  config: { kind: string } & Json;
  /** Valid replies to a movement, a balance inquiry and the creation of a player. */
  moved: Json;
  balance: Json;
  created: Json;
  /** Wraps a reply's content in its envelope. */
  done: (data: Json) => Json;
  /** Inconclusive codes, in their envelope; the last one is undocumented. */
  unsure: Reply[];
  /** Reply to an inquiry by reference, where supported. */
  found?: Json;
  /** Unusual field names; null: the reply does not name the player. */
  about?: string | null;
  cash?: string;
  /** The returned name may differ from the requested one. */
  namesPlayers?: true;
  /** Status of a successful creation of a player. */
  createdStatus?: number;
};

const named = { username, balance: '100.00', outstanding: '5.00', turnover: '0.00' };
const beforeAfter = { username, amount: '100.00', before: '0.00', after: '100.00' };

/** Valid replies of every kind, to be spoiled. */
export const KINDS: Record<string, Kind> = {
  imi: {
    config: { kind: 'imi', user: 'brand', password: 'secret' },
    moved: { username, transactionRef: reference, amount: '100.00', beforeBalance: '0.00', afterBalance: '100.00' },
    balance: { ...named, lastBetId: 7 },
    created: { username },
    done: (data) => ({ code: 0, message: 'SUCCESS', data }),
    unsure: [
      { json: { code: 1005, message: '', data: null } },
      { json: { code: 9999, message: '', data: null } },
      { json: { code: 1050, message: '', data: null } },
    ],
  },
  usun: {
    config: { kind: 'usun', clientId: 'client', clientSecret: 'secret' },
    moved: beforeAfter,
    balance: named,
    created: { username },
    done: (data) => ({ status: 'ok', data }),
    unsure: [
      { json: { status: 'error', code: 'INTERNAL' } },
      { status: 409, json: { status: 'error', code: 'constructor' } },
    ],
  },
  circus: {
    config: {
      kind: 'circus',
      operatorId: 'operator',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    moved: { user: username, transaction_uuid: reference, amount: '100.00', balance: '100.00' },
    balance: { ...named, user: username },
    about: 'user',
    created: { user: username },
    done: (data) => ({ status: 'RS_OK', ...data }),
    unsure: [
      { json: { status: 'RS_ERROR_UNKNOWN' } },
      { json: { status: 'RS_ERROR_DUPLICATE_TRANSACTION' } },
      { json: { status: 'constructor' } },
    ],
  },
  slotracha: {
    config: { kind: 'slotracha', token: 'token' },
    moved: { username, amount: '100.00', type: 2 },
    balance: { username, credit: '100.00', outstanding: '5.00' },
    cash: 'credit',
    created: { username },
    done: (data) => ({ success: true, data }),
    unsure: [
      { json: { success: false, error: 'internal' } },
      { status: 422, json: { success: false, error: 'constructor' } },
    ],
  },
  pgslot: {
    config: { kind: 'pgslot', agent: 'agent', secret: 'secret' },
    moved: { username, amount: '100.00', balance: { before: '0.00', after: '100.00' } },
    balance: named,
    namesPlayers: true,
    created: { memberRef: username, username: 'pgslot00000001', password: 'Secret12' },
    done: (data) => ({ status: { code: 1000, message: 'Success' }, data }),
    unsure: [
      { json: { status: { code: 9999, message: '' }, data: null } },
      { json: { status: { code: 1450, message: '' }, data: null } },
    ],
  },
  royal: {
    config: { kind: 'royal', agent: 'agent', key: 'key' },
    moved: beforeAfter,
    balance: named,
    created: { username },
    done: (data) => ({ error: 0, ...data }),
    unsure: [{ json: { error: 99 } }, { json: { error: 50 } }],
  },
  pg: {
    config: { kind: 'pg', operatorToken: 'operator', secretKey: 'a-secret' },
    moved: { transferReference: reference, amount: 100, balanceAmountBefore: 0, balanceAmount: 100 },
    found: {
      transferReference: reference,
      playerName: username,
      transactionType: 1,
      transactionAmount: 100,
      balanceAmountBefore: 0,
      balanceAmount: 100,
    },
    balance: { cashBalance: 100, outstandingBalance: 5 },
    created: { action_result: 1 },
    about: null,
    cash: 'cashBalance',
    done: (data) => ({ data, error: null }),
    unsure: [
      { json: { data: null, error: { code: '1200', message: '' } } },
      { json: { data: null, error: { code: '3109', message: '' } } },
      { json: { data: null, error: { code: 'constructor', message: '' } } },
    ],
  },
  askmebet: {
    config: { kind: 'askmebet', agent: 'agent', key: 'a-key' },
    moved: { amount: '100.00', before: '0.00', after: '100.00' },
    balance: { credit: '100.00', outstanding: '5.00', turnover: '0.00' },
    namesPlayers: true,
    created: { username },
    about: null,
    cash: 'credit',
    done: (result) => ({ code: 0, message: 'success', result }),
    unsure: [{ json: { code: 999, message: '', result: null } }, { json: { code: 1050, message: '', result: null } }],
  },
  joker2: {
    config: { kind: 'joker2', appId: 'APP', secret: 'a-secret' },
    moved: { Username: username, RequestID: reference, BeforeCredit: 0, Credit: 100 },
    found: { Username: username, RequestID: reference, Amount: 100 },
    balance: { Username: username, Credit: 100, OutstandingCredit: 5, Turnover: 0 },
    created: { Status: 'Created' },
    createdStatus: 201,
    about: 'Username',
    cash: 'Credit',
    done: (data) => data,
    unsure: [
      { status: 409, json: { Message: 'Duplicate RequestID' } },
      { status: 400, json: { Message: 'Internal error' } },
      { status: 403, json: { Message: 'constructor' } },
    ],
  },
  betflix: {
    config: { kind: 'betflix', apiKey: 'api-key', apiCat: 'api-cat' },
    moved: { username, ref: reference, amount: '100.00', balance_before: '0.00', balance: '100.00' },
    balance: named,
    created: { username },
    done: (data) => ({ status: 'success', error_code: 0, data }),
    unsure: [
      { json: { status: 'error', error_code: 1008, data: null } },
      { json: { status: 'error', error_code: 1500, data: null } },
      { json: { status: 'error', error_code: 1050, data: null } },
    ],
  },
  areaslot: {
    config: { kind: 'areaslot', agent: 'agent', key: 'a-key' },
    moved: beforeAfter,
    balance: named,
    created: { username },
    done: (data) => ({ code: '0', data }),
    unsure: [{ json: { code: 'E500', data: null } }, { json: { code: 'constructor', data: null } }],
  },
  huayhd: {
    config: { kind: 'huayhd', agent: 'agent', secret: 'a-secret' },
    moved: { transactionRef: reference, amount: 100, balance: { before: 0, after: 100 } },
    found: {
      username,
      type: 'DEPOSIT',
      transactionRef: reference,
      amount: 100,
      balance: { before: 0, after: 100 },
    },
    balance: named,
    created: { username },
    done: (data) => ({ code: 0, data }),
    unsure: [
      { json: { code: 4009, data: null } },
      { json: { code: 9999, data: null } },
      { json: { code: 4050, data: null } },
    ],
  },
  formpost: {
    config: { kind: 'formpost', merchant: 'merchant', secret: 'a-secret', formCharacters: 16 },
    moved: {
      username,
      ref: reference,
      direction: 'in',
      amount: '100.00',
      creditBefore: '0.00',
      creditAfter: '100.00',
    },
    found: {
      username,
      ref: reference,
      direction: 'in',
      amount: '100.00',
      creditBefore: '0.00',
      creditAfter: '100.00',
    },
    balance: { username, credit: '100.00', outstanding: '5.00', turnover: '0.00' },
    created: { username },
    cash: 'credit',
    done: (data) => ({ ok: true, data }),
    unsure: [
      { json: { ok: false, error: 'REF_USED' } },
      { json: { ok: false, error: 'INTERNAL' } },
      { json: { ok: false, error: 'constructor' } },
    ],
  },
};
