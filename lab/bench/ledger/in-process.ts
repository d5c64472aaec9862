import { minor } from '@krapao/contract/money';
import { createLedger, type Ledger, type Operation } from '@krapao/server/src/ledger/index.ts';
import type { Database } from '@krapao/server/src/platform/database/database.ts';
import { MEMBERS, type Transfer } from './transfers.ts';

const START_BALANCE = minor(1_000_000_000n);
/** Id of a synthetic member. */
export const memberId = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** The ledger, called as in the server. */
export class InProcess {
  readonly ledger: Ledger;

  constructor(url: string, database: Database) {
    this.ledger = createLedger({ url, database, currency: 'BAHT' });
  }

  /** Funds all members. */
  async prepare(): Promise<void> {
    await Promise.all(
      Array.from({ length: MEMBERS }, (_, number) =>
        this.#post({ ...operationOf(number, 'open'), key: `open:${number}` }),
      ),
    );
  }

  async transfer({ key, member: number, house, reference }: Transfer): Promise<void> {
    const { debit, credit, ...transferFields } = operationOf(number, `provider:${house}`);
    await this.#post({
      ...transferFields,
      key,
      kind: 'play',
      reference,
      debit: credit,
      credit: debit,
      amount: minor(1n),
    });
  }

  close(): Promise<void> {
    return this.ledger.close();
  }

  async #post(operation: Operation): Promise<void> {
    const [verdict] = await this.ledger.post(operation);
    if (verdict?.outcome !== 'applied') throw new Error(`the ledger refused: ${verdict?.reason ?? 'no verdict'}`);
  }
}

function operationOf(number: number, house: string): Operation & { type: 'transfer' } {
  const id = memberId(number);
  const wallet = { member: id, kind: 'WALLET' } as const;
  const commonFields = { memberId: id, kind: 'deposit', actor: 'member', reference: 'start', key: '' };
  return { ...commonFields, type: 'transfer', debit: { houseAccount: house }, credit: wallet, amount: START_BALANCE };
}
