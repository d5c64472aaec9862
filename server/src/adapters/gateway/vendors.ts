// Every gateway that the product can speak to: a folder and a line here.
export { kbank } from './kbank.ts';
export { ww } from './ww.ts';
export { fp } from './fp.ts';
export { payonex } from './payonex.ts';
export { bcel } from './bcel.ts';
