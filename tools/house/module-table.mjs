/**
 * Which module of the server may use which other, and nothing else: a new arrow is a decision, made here, and an arrow
 * that nobody uses any more is taken out. There are no cycles.
 */
export const moduleTable = {
  account: ['lookup', 'otp'],
  arrival: ['account', 'lookup'],
  bonus: ['incentive', 'lookup'],
  chat: ['account', 'lookup'],
  deposit: [],
  event: [],
  game: [],
  incentive: ['game', 'transfer'],
  invite: ['incentive', 'lookup'],
  lookup: [],
  otp: ['lookup'],
  reconcile: ['arrival', 'deposit', 'game', 'incentive', 'transfer', 'truelink', 'withdraw'],
  refund: ['incentive', 'lookup'],
  slip: ['account', 'arrival', 'lookup'],
  spinwheel: ['bonus', 'incentive', 'lookup'],
  statement: ['incentive'],
  transfer: ['game'],
  truelink: ['lookup'],
  wallet: [],
  withdraw: ['incentive', 'transfer'],
};

/** Which workspace may import which other. */
export const workspaceTable = {
  contract: [],
  phrases: ['contract'],
  web: ['contract', 'phrases'],
  server: ['contract', 'phrases'],
  simulators: [],
  e2e: ['contract', 'phrases'],
  bench: ['contract', 'server', 'e2e'],
};
