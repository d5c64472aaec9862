import type { Outside } from '../outside-file.ts';
import type { Store } from '../store.ts';
import { bcel } from './bcel/bcel.ts';
import { fp } from './fp/fp.ts';
import type { Gateway } from './gateway.ts';
import { kbank } from './kbank/kbank.ts';
import { payonex } from './payonex/payonex.ts';
import { ww } from './ww/ww.ts';

/** Every gateway of the outside. A new one is a folder beside `kbank` and one line here. */
export function allGateways(outside: Outside, store: Store): Gateway[] {
  return [
    kbank(outside.kbank, store),
    ww(outside.ww),
    fp(outside.fp),
    payonex(outside.payonex, store),
    bcel(outside.bcel),
  ];
}
