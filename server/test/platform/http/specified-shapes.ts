import { z } from 'zod';

/** Shapes of section 3 of the specification. Derived from the specification, not from the contract. */
export const text = z.string();
/** For non-empty texts. */
export const nonEmpty = z.string().min(1);
export const amount = z.number();
export const isoDateTime = z.iso.datetime();
export const object = z.looseObject;
export const listOf = z.array;
export const banner = object({ image: nonEmpty, html: nonEmpty });
const bankNames = object({ nameTH: nonEmpty, nameEN: nonEmpty });
export const profileShape = object({ _id: nonEmpty, name: nonEmpty, username: nonEmpty, createdAt: isoDateTime });
export const bankAccount = object({
  bankCode: nonEmpty,
  bankAccountName: nonEmpty,
  bankAccountNo: nonEmpty,
  bank: bankNames,
});
export const credentialsShape = object({ username: nonEmpty, password: nonEmpty });
export const message = object({ message: nonEmpty });
export const link = object({ link: z.url() });
export const qrcodeShape = object({
  hasQrcode: z.boolean(),
  qrcodeId: nonEmpty,
  qrcode: nonEmpty,
  amount,
  expireIn: isoDateTime,
});
export const userBonus = object({
  _id: text,
  isActive: z.boolean(),
  received: listOf(object({ updatedAt: isoDateTime })),
});
export const slot = object({
  code: nonEmpty,
  name: nonEmpty,
  category: z.enum(['slot', 'sport', 'lotto']),
  isActive: z.boolean(),
  amount,
  ftWalletSlot: z.number(),
  logo: nonEmpty,
  background: nonEmpty,
  web: text.nullable(),
  android: text.nullable(),
  ios: text.nullable(),
});

export const LOOKUP_SHAPES = {
  banks: listOf(object({ code: nonEmpty, nameTH: nonEmpty })).min(1),
  deposit: object({
    banks: listOf(
      object({
        bankCode: nonEmpty,
        bankType: nonEmpty,
        mode: nonEmpty,
        bank: bankNames,
        bankAccountName: text,
        bankAccountNo: text,
        currency: nonEmpty,
      }),
    ).min(1),
    wallets: listOf(object({ mode: nonEmpty, walletAccountName: nonEmpty })).min(1),
    isManual: z.boolean(),
  }),
  conditions: listOf(nonEmpty).min(1),
  agreements: listOf(nonEmpty).min(1),
  info: object({ name: nonEmpty, website: z.url() }),
  notice: object({ notice: nonEmpty }),
  contact: object({ contactText: nonEmpty, lineLink: z.url(), lineName: nonEmpty, lineQR: nonEmpty }),
  withdraw: object({ withdrawMin: amount, withdrawMax: amount }),
  slip: object({}),
  sources: listOf(object({ code: nonEmpty, description: nonEmpty })).min(1),
  active: object({ terminated: text }),
  registerOTP: object({ registerOTP: z.boolean() }),
  enableChatWidget: object({ enableChatWidget: z.boolean() }),
};
