import * as endpoints from '@krapao/contract/endpoints/lookup';
import type { Language } from '@krapao/contract/languages';
import { type Currency, toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toString as drawQr } from 'qrcode';
import type { Clock } from '../../platform/time.ts';
import type { GameTab } from '../../platform/config.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { bearerToken, requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { Refusal } from '../../platform/errors.ts';
import { localBanksFirst, isOpenAt, type SettingValue, lookupVersion } from './lookup.ts';
import type { SiteConfig } from './operator-data.ts';

export type LookupDeps = {
  app: FastifyInstance;
  clock: Clock;
  variant: Variant;
  publicUrl: string;
  gameTab: GameTab;
  truelinkSecret: string;
  operatorData: () => Promise<SiteConfig>;
};

/** Serves the data that the operator configures. */
export function lookupRoutes(deps: LookupDeps): void {
  listRoutes(deps);
  textRoutes(deps);
  switchRoutes(deps);
}

function listRoutes({ app, variant, operatorData }: LookupDeps): void {
  route(app, endpoints.lookupBanks, async () => {
    const data = await operatorData();
    const enabledBanks = localBanksFirst(data.banks, variant).filter((bank) => bank.isEnabled);
    return { status: 200, body: enabledBanks.map((bank) => ({ ...bank, ...data.bankNames(bank.code) })) };
  });
  route(app, endpoints.lookupSources, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const { sources } = await operatorData();
    return { status: 200, body: sources.map((source) => ({ code: source.code, description: source[language] })) };
  });
  route(app, endpoints.lookupDeposit, async () => {
    const data = await operatorData();
    const banks = data.offered.depositAccounts.map(
      ({ nameTH, nameEN, accountName, accountNo, minimum, maximum, isStopped, ...account }) => ({
        ...account,
        ...(isStopped && { isStopped }),
        bank: data.bankNames(account.bankCode, { nameTH, nameEN }),
        bankAccountName: accountName,
        bankAccountNo: accountNo,
        minimum: minimum === null ? null : toWire(minimum),
        maximum: maximum === null ? null : toWire(maximum),
      }),
    );
    const wallets = data.offered.walletAccounts.map(({ mode, accountName, accountNo }) => ({
      mode,
      walletAccountName: accountName,
      walletAccountNo: accountNo,
    }));
    const apps = data.bankApps.map((app) => ({ ...app, currency: currencyOfBank(data, app.code) }));
    return { status: 200, body: { banks, wallets, isManual: data.setting('isManual'), apps } };
  });
}

/** The currency of a bank's country; null for a code of no bank. */
function currencyOfBank({ banks }: SiteConfig, code: string): Currency | null {
  const bank = banks.find((one) => one.code === code);
  if (!bank) return null;
  return bank.country === 'LA' ? 'LAK' : 'BAHT';
}

function textRoutes({ app, variant, publicUrl, gameTab, truelinkSecret, operatorData }: LookupDeps): void {
  const languageFor = (request: FastifyRequest): Language => requestLanguage(request.headers.cookie, variant);
  const readTexts = async (kind: 'condition' | 'agreement', language: Language): Promise<string[]> =>
    (await operatorData()).texts.filter((text) => text.kind === kind).map((text) => text[language]);

  route(app, endpoints.lookupConditions, async ({ request }) => ({
    status: 200,
    body: await readTexts('condition', languageFor(request)),
  }));
  route(app, endpoints.lookupAgreements, async ({ request }) => ({
    status: 200,
    body: await readTexts('agreement', languageFor(request)),
  }));
  route(app, endpoints.lookupNotice, async ({ request }) => ({
    status: 200,
    body: { notice: (await operatorData()).setting('notice')[languageFor(request)] },
  }));
  route(app, endpoints.lookupInfo, async ({ request }) => {
    const data = await operatorData();
    const { name, website } = data.setting('info');
    const agreementVersion = lookupVersion(data.texts.filter((text) => text.kind === 'agreement'));
    const siteUrl = createAddressRewriter(request)(website || publicUrl);
    const phoneRanges = data.phoneRanges && { phoneRanges: [...data.phoneRanges] };
    return { status: 200, body: { name, website: siteUrl, gameTab, truelinkSecret, agreementVersion, ...phoneRanges } };
  });
  route(app, endpoints.lookupContact, async ({ request }) => {
    const contact = (await operatorData()).setting('contact');
    const contactText = contact.contactText[languageFor(request)];
    const { lineLink, lineName } = contact;
    return { status: 200, body: { contactText, lineLink, lineName, lineQR: await contactQrImage(contact) } };
  });
}

function switchRoutes({ app, clock, variant, operatorData }: LookupDeps): void {
  route(app, endpoints.lookupActive, async () => ({ status: 200, body: (await operatorData()).setting('status') }));
  route(app, endpoints.lookupRegisterOTP, async () => ({
    status: 200,
    body: { registerOTP: (await operatorData()).setting('registerOTP') },
  }));
  route(app, endpoints.lookupEnableChatWidget, async () => ({
    status: 200,
    body: { enableChatWidget: (await operatorData()).setting('enableChatWidget') },
  }));
  route(app, endpoints.lookupWithdraw, async ({ request }) => {
    const currency = (await callerCurrency(app, request)) ?? (variant === 'lao' ? 'LAK' : 'BAHT');
    const { min, max } = (await operatorData()).setting('withdraw')[currency];
    return { status: 200, body: { withdrawMin: toWire(min), withdrawMax: toWire(max) } };
  });
  route(app, endpoints.lookupSlip, async () => {
    const slip = (await operatorData()).setting('slip');
    return { status: 200, body: { ...slip, isOpen: isOpenAt(clock.now(), slip.closedFrom, slip.closedTo) } };
  });
}

/** The currency of a calling member; undefined for a visitor or an expired session. */
async function callerCurrency(app: FastifyInstance, request: FastifyRequest): Promise<Currency | undefined> {
  if (bearerToken(request) === undefined) return undefined;
  try {
    return (await app.authenticate(request)).currency;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** The operator's QR image, or a QR code of the link: both as an address for an image element. */
async function contactQrImage({ lineLink, lineQR }: SettingValue<'contact'>): Promise<string> {
  if (lineQR !== undefined) return lineQR;
  const svg = await drawQr(lineLink, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
