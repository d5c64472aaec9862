// All simulated gateways: one folder and one line here each.
export { kbank } from './kbank/definition.ts';
export { ww } from './ww/definition.ts';
export { fp } from './fp/definition.ts';
export { payonex } from './payonex/definition.ts';
export { bcel } from './bcel/definition.ts';
