// All supported gateways: one file and one line here each.
export { kbank } from './kbank.ts';
export { ww } from './ww.ts';
export { fp } from './fp.ts';
export { payonex } from './payonex.ts';
export { bcel } from './bcel.ts';
