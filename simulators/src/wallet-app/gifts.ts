import { randomInt } from 'node:crypto';
import type { Answer } from '../control/serve.ts';
import { formatMoneyWithCommas } from '../money.ts';
import { DueTimer } from '../push/due-timer.ts';
import type { Store } from '../store.ts';
import type { Wallet, Wallets } from './wallets.ts';

const HASH_LENGTH = 35;
const HASH_FORMAT = /^[A-Za-z0-9]{35}$/;
const HASH_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

export type Gift = {
  hash: string;
  voucher_id: string;
  giver: string;
  amount: number;
  members: number;
  made_at: number;
  expires_at: number;
  returned: number;
};
type GiftTicket = { phone: string; amount: number; at: number };
type ReplyCode = keyof typeof HTTP_STATUS;

const HTTP_STATUS = {
  SUCCESS: 200,
  INTERNAL_ERROR: 500,
  VOUCHER_NOT_FOUND: 404,
  TARGET_USER_NOT_FOUND: 404,
  CANNOT_GET_OWN_VOUCHER: 400,
  TARGET_USER_REDEEMED: 400,
  VOUCHER_OUT_OF_STOCK: 400,
  VOUCHER_EXPIRED: 400,
};

/** Gift links: any holder of a link can redeem the money, or a share while shares are left. */
export class Gifts {
  readonly #store: Store;
  readonly #wallets: Wallets;
  readonly #timer = new DueTimer(() => this.#returnExpired());

  constructor(store: Store, wallets: Wallets) {
    this.#store = store;
    this.#wallets = wallets;
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Creates a gift link from a wallet. @throws Refusal when the wallet holds less */
  make(giver: Wallet, order: { amount: number; members: number; lifeMs: number }): Gift {
    const { amount, members, lifeMs } = order;
    return this.#store.atomically(() => {
      this.#wallets.take(giver, amount);
      const now = Date.now();
      const count = this.#store.one<{ n: number }>('select count(*) as n from gift')?.n ?? 0;
      const gift: Gift = {
        hash: Array.from({ length: HASH_LENGTH }, () => HASH_ALPHABET[randomInt(HASH_ALPHABET.length)]).join(''),
        voucher_id: `46${String(count + 1).padStart(16, '0')}`,
        giver: giver.phone,
        amount,
        members,
        made_at: now,
        expires_at: now + lifeMs,
        returned: 0,
      };
      this.#store.run(
        'insert into gift (hash, voucher_id, giver, amount, members, made_at, expires_at) values (?, ?, ?, ?, ?, ?, ?)',
        gift.hash,
        gift.voucher_id,
        gift.giver,
        amount,
        members,
        now,
        gift.expires_at,
      );
      const transaction = {
        type: 'GIVEN',
        from_phone: giver.phone,
        to_phone: '',
        amount,
        voucherId: gift.voucher_id,
      } as const;
      this.#wallets.record(transaction, now);
      this.#timer.schedule();
      return gift;
    });
  }

  /** The amount that a phone number could redeem from a link; changes nothing. */
  verify(hash: string, mobile: string): Answer {
    return this.#store.atomically(() => this.#judge(hash, mobile).answer);
  }

  /** Pays a phone number its share, once. */
  redeem(hash: string, mobile: string): Answer {
    return this.#store.atomically(() => {
      const { answer, gift } = this.#judge(hash, mobile);
      if (answer.status !== HTTP_STATUS.SUCCESS || !gift) return answer;
      const share = shareOf(gift, this.#ticketsOf(hash).length);
      const at = Date.now();
      this.#store.run('insert into gift_ticket (hash, phone, amount, at) values (?, ?, ?, ?)', hash, mobile, share, at);
      this.#wallets.add(mobile, share);
      const ticket = {
        type: 'GIFT',
        from_phone: gift.giver,
        to_phone: mobile,
        amount: share,
        voucherId: gift.voucher_id,
      } as const;
      this.#wallets.record(ticket, at);
      return this.#reply('SUCCESS', gift, mobile);
    });
  }

  #judge(hash: string, mobile: string): { answer: Answer; gift?: Gift } {
    if (!HASH_FORMAT.test(hash)) return { answer: withoutData('INTERNAL_ERROR') };
    this.#returnExpired();
    const gift = this.#store.one<Gift>('select * from gift where hash = ?', hash);
    if (!gift) return { answer: withoutData('VOUCHER_NOT_FOUND') };
    if (!this.#wallets.find(mobile)) return { answer: withoutData('TARGET_USER_NOT_FOUND') };
    if (gift.giver === mobile) return { answer: withoutData('CANNOT_GET_OWN_VOUCHER') };
    const tickets = this.#ticketsOf(hash);
    const reply = (code: ReplyCode) => ({ answer: this.#reply(code, gift, mobile) });
    if (tickets.some(({ phone }) => phone === mobile)) return reply('TARGET_USER_REDEEMED');
    if (tickets.length >= gift.members) return reply('VOUCHER_OUT_OF_STOCK');
    if (gift.expires_at <= Date.now()) return reply('VOUCHER_EXPIRED');
    return { ...reply('SUCCESS'), gift };
  }

  #ticketsOf(hash: string): GiftTicket[] {
    return this.#store.all<GiftTicket>(
      'select phone, amount, at from gift_ticket where hash = ? order by at, rowid',
      hash,
    );
  }

  #reply(code: ReplyCode, gift: Gift, mobile: string): Answer {
    const tickets = this.#ticketsOf(gift.hash);
    const ticketView = (ticket: GiftTicket) => ({
      mobile: `${ticket.phone.slice(0, 3)}-xxx-${ticket.phone.slice(-4)}`,
      update_date: ticket.at,
      amount_baht: formatMoneyWithCommas(ticket.amount),
      full_name: this.#wallets.find(ticket.phone)?.name ?? '',
    });
    const ownTicket = tickets.find(({ phone }) => phone === mobile);
    const available = gift.members - tickets.length;
    const state = available === 0 ? 'redeemed' : gift.expires_at <= Date.now() ? 'expired' : 'active';
    const giver = this.#wallets.find(gift.giver)?.name ?? '';
    const data = {
      voucher: {
        voucher_id: gift.voucher_id,
        amount_baht: formatMoneyWithCommas(gift.amount),
        redeemed_amount_baht: formatMoneyWithCommas(tickets.reduce((total, { amount }) => total + amount, 0)),
        member: gift.members,
        status: state,
        link: gift.hash,
        detail: '',
        expire_date: gift.expires_at,
        type: 'F',
        redeemed: tickets.length,
        available,
      },
      owner_profile: { full_name: `${giver.split(' ')[0] ?? ''} ***` },
      redeemer_profile: { mobile_number: mobile },
      my_ticket: ownTicket ? ticketView(ownTicket) : null,
      tickets: tickets.map(ticketView),
    };
    return { status: HTTP_STATUS[code], body: { status: { code, message: messageOf(code) }, data } };
  }

  /** Returns unredeemed money of expired gifts to the giver; returns the time of the next expiry. */
  #returnExpired(): number | null {
    const open =
      'returned = 0 and amount > (select coalesce(sum(t.amount), 0) from gift_ticket t where t.hash = g.hash)';
    const expiredGifts = this.#store.all<Gift>(`select * from gift g where expires_at <= ? and ${open}`, Date.now());
    for (const gift of expiredGifts) {
      const remaining = gift.amount - this.#ticketsOf(gift.hash).reduce((total, { amount }) => total + amount, 0);
      this.#store.run('update gift set returned = ? where hash = ?', remaining, gift.hash);
      this.#wallets.add(gift.giver, remaining);
      const { giver, voucher_id: voucherId } = gift;
      this.#wallets.record(
        { type: 'RETURNED', from_phone: '', to_phone: giver, amount: remaining, voucherId },
        Date.now(),
      );
    }
    return this.#store.one<{ at: number | null }>(`select min(expires_at) as at from gift g where ${open}`)?.at ?? null;
  }
}

/** A reply of the gift service without voucher data. */
export function withoutData(code: ReplyCode): Answer {
  return { status: HTTP_STATUS[code], body: { status: { code, message: messageOf(code) }, data: null } };
}

function messageOf(code: ReplyCode): string {
  return code.toLowerCase().replaceAll('_', ' ');
}

/** Size of the next share: all are equal, and the last one includes the remainder. */
export function shareOf({ amount, members }: Pick<Gift, 'amount' | 'members'>, taken: number): number {
  const share = Math.floor(amount / members);
  return taken === members - 1 ? amount - share * (members - 1) : share;
}
