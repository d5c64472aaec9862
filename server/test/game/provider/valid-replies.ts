import { generateKeyPairSync } from 'node:crypto';
import { credits, type Movement } from '../../../src/adapters/game/port.ts';

export const SAMPLE_USERNAME = 'kpmali01';
export const SAMPLE_REFERENCE = 'T0000000000000001';
export const SAMPLE_MOVEMENT: Movement = {
  username: SAMPLE_USERNAME,
  direction: 'in',
  amount: credits(10_000n),
  reference: SAMPLE_REFERENCE,
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export type JsonObject = Record<string, unknown>;
export type Reply = { status?: number; json: unknown };
export type AdapterKindReplies = {
  config: { kind: string } & JsonObject;
  /** Valid replies to a movement, a balance inquiry and the creation of a player. */
  movedReply: JsonObject;
  balance: JsonObject;
  created: JsonObject;
  /** Wraps a reply's content in its envelope. */
  toReply: (data: JsonObject) => JsonObject;
  /** Inconclusive codes, in their envelope; the last one is undocumented. */
  inconclusiveReplies: Reply[];
  /** Reply to an inquiry by reference, where supported. */
  foundReply?: JsonObject;
  /** Unusual field names; null: the reply does not name the player. */
  nameField?: string | null;
  cashField?: string;
  /** The returned name may differ from the requested one. */
  returnsOtherName?: true;
  /** Status of a successful creation of a player. */
  createdStatus?: number;
};

const playerReply = { username: SAMPLE_USERNAME, balance: '100.00', outstanding: '5.00', turnover: '0.00' };
const balanceBeforeAfter = { username: SAMPLE_USERNAME, amount: '100.00', before: '0.00', after: '100.00' };

/** Valid replies of every kind, to be spoiled. */
export const ADAPTER_KIND_REPLIES: Record<string, AdapterKindReplies> = {
  imi: {
    config: { kind: 'imi', user: 'brand', password: 'secret' },
    movedReply: {
      username: SAMPLE_USERNAME,
      transactionRef: SAMPLE_REFERENCE,
      amount: '100.00',
      beforeBalance: '0.00',
      afterBalance: '100.00',
    },
    balance: { ...playerReply, lastBetId: 7 },
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ code: 0, message: 'SUCCESS', data }),
    inconclusiveReplies: [
      { json: { code: 1005, message: '', data: null } },
      { json: { code: 9999, message: '', data: null } },
      { json: { code: 1050, message: '', data: null } },
    ],
  },
  usun: {
    config: { kind: 'usun', clientId: 'client', clientSecret: 'secret' },
    movedReply: balanceBeforeAfter,
    balance: playerReply,
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ status: 'ok', data }),
    inconclusiveReplies: [
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
    movedReply: { user: SAMPLE_USERNAME, transaction_uuid: SAMPLE_REFERENCE, amount: '100.00', balance: '100.00' },
    balance: { ...playerReply, user: SAMPLE_USERNAME },
    nameField: 'user',
    created: { user: SAMPLE_USERNAME },
    toReply: (data) => ({ status: 'RS_OK', ...data }),
    inconclusiveReplies: [
      { json: { status: 'RS_ERROR_UNKNOWN' } },
      { json: { status: 'RS_ERROR_DUPLICATE_TRANSACTION' } },
      { json: { status: 'constructor' } },
    ],
  },
  slotracha: {
    config: { kind: 'slotracha', token: 'token' },
    movedReply: { username: SAMPLE_USERNAME, amount: '100.00', type: 2 },
    balance: { username: SAMPLE_USERNAME, credit: '100.00', outstanding: '5.00' },
    cashField: 'credit',
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ success: true, data }),
    inconclusiveReplies: [
      { json: { success: false, error: 'internal' } },
      { status: 422, json: { success: false, error: 'constructor' } },
    ],
  },
  pgslot: {
    config: { kind: 'pgslot', agent: 'agent', secret: 'secret' },
    movedReply: { username: SAMPLE_USERNAME, amount: '100.00', balance: { before: '0.00', after: '100.00' } },
    balance: playerReply,
    returnsOtherName: true,
    created: { memberRef: SAMPLE_USERNAME, username: 'pgslot00000001', password: 'Secret12' },
    toReply: (data) => ({ status: { code: 1000, message: 'Success' }, data }),
    inconclusiveReplies: [
      { json: { status: { code: 9999, message: '' }, data: null } },
      { json: { status: { code: 1450, message: '' }, data: null } },
    ],
  },
  royal: {
    config: { kind: 'royal', agent: 'agent', key: 'key' },
    movedReply: balanceBeforeAfter,
    balance: playerReply,
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ error: 0, ...data }),
    inconclusiveReplies: [{ json: { error: 99 } }, { json: { error: 50 } }],
  },
  pg: {
    config: { kind: 'pg', operatorToken: 'operator', secretKey: 'a-secret' },
    movedReply: { transferReference: SAMPLE_REFERENCE, amount: 100, balanceAmountBefore: 0, balanceAmount: 100 },
    foundReply: {
      transferReference: SAMPLE_REFERENCE,
      playerName: SAMPLE_USERNAME,
      transactionType: 1,
      transactionAmount: 100,
      balanceAmountBefore: 0,
      balanceAmount: 100,
    },
    balance: { cashBalance: 100, outstandingBalance: 5 },
    created: { action_result: 1 },
    nameField: null,
    cashField: 'cashBalance',
    toReply: (data) => ({ data, error: null }),
    inconclusiveReplies: [
      { json: { data: null, error: { code: '1200', message: '' } } },
      { json: { data: null, error: { code: '3109', message: '' } } },
      { json: { data: null, error: { code: 'constructor', message: '' } } },
    ],
  },
  askmebet: {
    config: { kind: 'askmebet', agent: 'agent', key: 'a-key' },
    movedReply: { amount: '100.00', before: '0.00', after: '100.00' },
    balance: { credit: '100.00', outstanding: '5.00', turnover: '0.00' },
    returnsOtherName: true,
    created: { username: SAMPLE_USERNAME },
    nameField: null,
    cashField: 'credit',
    toReply: (result) => ({ code: 0, message: 'success', result }),
    inconclusiveReplies: [
      { json: { code: 999, message: '', result: null } },
      { json: { code: 1050, message: '', result: null } },
    ],
  },
  joker2: {
    config: { kind: 'joker2', appId: 'APP', secret: 'a-secret' },
    movedReply: { Username: SAMPLE_USERNAME, RequestID: SAMPLE_REFERENCE, BeforeCredit: 0, Credit: 100 },
    foundReply: { Username: SAMPLE_USERNAME, RequestID: SAMPLE_REFERENCE, Amount: 100 },
    balance: { Username: SAMPLE_USERNAME, Credit: 100, OutstandingCredit: 5, Turnover: 0 },
    created: { Status: 'Created' },
    createdStatus: 201,
    nameField: 'Username',
    cashField: 'Credit',
    toReply: (data) => data,
    inconclusiveReplies: [
      { status: 409, json: { Message: 'Duplicate RequestID' } },
      { status: 400, json: { Message: 'Internal error' } },
      { status: 403, json: { Message: 'constructor' } },
    ],
  },
  betflix: {
    config: { kind: 'betflix', apiKey: 'api-key', apiCat: 'api-cat' },
    movedReply: {
      username: SAMPLE_USERNAME,
      ref: SAMPLE_REFERENCE,
      amount: '100.00',
      balance_before: '0.00',
      balance: '100.00',
    },
    balance: playerReply,
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ status: 'success', error_code: 0, data }),
    inconclusiveReplies: [
      { json: { status: 'error', error_code: 1008, data: null } },
      { json: { status: 'error', error_code: 1500, data: null } },
      { json: { status: 'error', error_code: 1050, data: null } },
    ],
  },
  areaslot: {
    config: { kind: 'areaslot', agent: 'agent', key: 'a-key' },
    movedReply: balanceBeforeAfter,
    balance: playerReply,
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ code: '0', data }),
    inconclusiveReplies: [{ json: { code: 'E500', data: null } }, { json: { code: 'constructor', data: null } }],
  },
  huayhd: {
    config: { kind: 'huayhd', agent: 'agent', secret: 'a-secret' },
    movedReply: { transactionRef: SAMPLE_REFERENCE, amount: 100, balance: { before: 0, after: 100 } },
    foundReply: {
      username: SAMPLE_USERNAME,
      type: 'DEPOSIT',
      transactionRef: SAMPLE_REFERENCE,
      amount: 100,
      balance: { before: 0, after: 100 },
    },
    balance: playerReply,
    created: { username: SAMPLE_USERNAME },
    toReply: (data) => ({ code: 0, data }),
    inconclusiveReplies: [
      { json: { code: 4009, data: null } },
      { json: { code: 9999, data: null } },
      { json: { code: 4050, data: null } },
    ],
  },
  formpost: {
    config: { kind: 'formpost', merchant: 'merchant', secret: 'a-secret', formCharacters: 16 },
    movedReply: {
      username: SAMPLE_USERNAME,
      ref: SAMPLE_REFERENCE,
      direction: 'in',
      amount: '100.00',
      creditBefore: '0.00',
      creditAfter: '100.00',
    },
    foundReply: {
      username: SAMPLE_USERNAME,
      ref: SAMPLE_REFERENCE,
      direction: 'in',
      amount: '100.00',
      creditBefore: '0.00',
      creditAfter: '100.00',
    },
    balance: { username: SAMPLE_USERNAME, credit: '100.00', outstanding: '5.00', turnover: '0.00' },
    created: { username: SAMPLE_USERNAME },
    cashField: 'credit',
    toReply: (data) => ({ ok: true, data }),
    inconclusiveReplies: [
      { json: { ok: false, error: 'REF_USED' } },
      { json: { ok: false, error: 'INTERNAL' } },
      { json: { ok: false, error: 'constructor' } },
    ],
  },
};
