// Every gateway that the product can speak to: a folder and a line here.
export { kbank } from './kbank/definition.ts';
export { ww } from './ww/definition.ts';
export { fp } from './fp/definition.ts';
export { payonex } from './payonex/definition.ts';
export { bcel } from './bcel/definition.ts';
