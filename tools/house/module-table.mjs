/**
 * Which module of the server may use which other, by import or by what `compose.ts` hands it, and nothing else: a new arrow is
 * a decision, made here, and an arrow that is used no more is taken out. There are no cycles.
 */
export const moduleTable = {
  account: ['lookup', 'otp'],
  bonus: ['account', 'incentive', 'lookup'],
  chat: ['account', 'lookup'],
  'deposit/bank-transfer': ['account', 'deposit/qrcode', 'lookup'],
  'deposit/qrcode': ['account', 'lookup'],
  'deposit/slip': ['account', 'deposit/bank-transfer', 'deposit/qrcode', 'lookup'],
  'deposit/truelink': ['account', 'lookup'],
  event: ['account'],
  game: ['account', 'lookup'],
  incentive: ['game', 'transfer'],
  invite: ['account', 'game', 'incentive', 'lookup'],
  lookup: [],
  otp: ['lookup'],
  reconcile: [
    'deposit/bank-transfer',
    'deposit/qrcode',
    'deposit/truelink',
    'game',
    'incentive',
    'transfer',
    'withdraw',
  ],
  refund: ['account', 'incentive', 'lookup'],
  spinwheel: ['account', 'bonus', 'incentive', 'lookup'],
  statement: ['incentive', 'withdraw'],
  transfer: ['account', 'game'],
  wallet: ['account', 'game', 'incentive', 'invite', 'spinwheel', 'withdraw'],
  withdraw: ['account', 'incentive', 'lookup', 'transfer'],
};

/** Which workspace may import which other. */
export const workspaceTable = {
  contract: [],
  phrases: ['contract'],
  web: ['contract', 'phrases'],
  server: ['contract', 'phrases'],
  simulators: [],
  e2e: ['contract', 'phrases'],
  lab: ['contract', 'server', 'e2e', 'tools'],
};

/** Which workspaces the tests of a workspace may import beside those of its programs. */
export const testWorkspaceTable = { server: ['simulators'] };
