import * as endpoints from '@krapao/contract/endpoints/operator-data';
import type { Language } from '@krapao/contract/languages';
import { type Currency, toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toString as drawQr } from 'qrcode';
import type { GameTab } from '../../platform/config.ts';
import { Refusal } from '../../platform/errors.ts';
import { bearerToken, requestLanguage } from '../../platform/http/caller.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import type { Clock } from '../../platform/time.ts';
import { localBanksFirst, isOpenAt, type SettingValue, textsVersion } from './operator-data.ts';
import type { OperatorData } from './read-operator-data.ts';

export type OperatorDataDeps = {
  app: FastifyInstance;
  clock: Clock;
  variant: Variant;
  publicUrl: string;
  gameTab: GameTab;
  truelinkSecret: string;
  readOperatorData: () => Promise<OperatorData>;
};

/** Serves the data that the operator configures. */
export function operatorDataRoutes(deps: OperatorDataDeps): void {
  listRoutes(deps);
  textRoutes(deps);
  switchRoutes(deps);
}

function listRoutes({ app, variant, readOperatorData }: OperatorDataDeps): void {
  route(app, endpoints.listBanks, async () => {
    const operatorData = await readOperatorData();
    const enabledBanks = localBanksFirst(operatorData.banks, variant).filter((bank) => bank.isEnabled);
    return { status: 200, body: enabledBanks.map((bank) => ({ ...bank, ...operatorData.bankNames(bank.code) })) };
  });
  route(app, endpoints.listSources, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const { sources } = await readOperatorData();
    return { status: 200, body: sources.map((source) => ({ code: source.code, description: source[language] })) };
  });
  route(app, endpoints.getDepositMethods, async () => {
    const operatorData = await readOperatorData();
    const banks = operatorData.offeredMethods.depositAccounts.map(
      ({ nameTH, nameEN, accountName, accountNo, minimum, maximum, isStopped, ...account }) => ({
        ...account,
        ...(isStopped && { isStopped }),
        bank: operatorData.bankNames(account.bankCode, { nameTH, nameEN }),
        bankAccountName: accountName,
        bankAccountNo: accountNo,
        minimum: minimum === null ? null : toWire(minimum),
        maximum: maximum === null ? null : toWire(maximum),
      }),
    );
    const wallets = operatorData.offeredMethods.walletAccounts.map(({ mode, accountName, accountNo }) => ({
      mode,
      walletAccountName: accountName,
      walletAccountNo: accountNo,
    }));
    const apps = operatorData.bankApps.map((app) => ({ ...app, currency: currencyOfBank(operatorData, app.code) }));
    return { status: 200, body: { banks, wallets, isManual: operatorData.setting('isManual'), apps } };
  });
}

/** The currency of a bank's country; null for a code of no bank. */
function currencyOfBank({ banks }: OperatorData, code: string): Currency | null {
  const bank = banks.find((one) => one.code === code);
  if (!bank) return null;
  return bank.country === 'LA' ? 'LAK' : 'BAHT';
}

function textRoutes({ app, variant, publicUrl, gameTab, truelinkSecret, readOperatorData }: OperatorDataDeps): void {
  const languageFor = (request: FastifyRequest): Language => requestLanguage(request.headers.cookie, variant);
  const readTexts = async (kind: 'condition' | 'agreement', language: Language): Promise<string[]> =>
    (await readOperatorData()).texts.filter((text) => text.kind === kind).map((text) => text[language]);

  route(app, endpoints.getConditions, async ({ request }) => ({
    status: 200,
    body: await readTexts('condition', languageFor(request)),
  }));
  route(app, endpoints.getAgreements, async ({ request }) => ({
    status: 200,
    body: await readTexts('agreement', languageFor(request)),
  }));
  route(app, endpoints.getSiteNotice, async ({ request }) => ({
    status: 200,
    body: { notice: (await readOperatorData()).setting('notice')[languageFor(request)] },
  }));
  route(app, endpoints.getSiteInfo, async ({ request }) => {
    const operatorData = await readOperatorData();
    const { name, website } = operatorData.setting('info');
    const agreementVersion = textsVersion(operatorData.texts.filter((text) => text.kind === 'agreement'));
    const siteUrl = createAddressRewriter(request)(website || publicUrl);
    const phoneRanges = operatorData.phoneRanges && { phoneRanges: [...operatorData.phoneRanges] };
    return { status: 200, body: { name, website: siteUrl, gameTab, truelinkSecret, agreementVersion, ...phoneRanges } };
  });
  route(app, endpoints.getContact, async ({ request }) => {
    const contact = (await readOperatorData()).setting('contact');
    const contactText = contact.contactText[languageFor(request)];
    const { lineLink, lineName } = contact;
    return { status: 200, body: { contactText, lineLink, lineName, lineQR: await contactQrImage(contact) } };
  });
}

function switchRoutes({ app, clock, variant, readOperatorData }: OperatorDataDeps): void {
  route(app, endpoints.getSiteStatus, async () => ({
    status: 200,
    body: (await readOperatorData()).setting('status'),
  }));
  route(app, endpoints.getRegisterOtp, async () => ({
    status: 200,
    body: { registerOTP: (await readOperatorData()).setting('registerOTP') },
  }));
  route(app, endpoints.getChatSwitch, async () => ({
    status: 200,
    body: { enableChatWidget: (await readOperatorData()).setting('enableChatWidget') },
  }));
  route(app, endpoints.getWithdrawLimits, async ({ request }) => {
    const currency = (await callerCurrency(app, request)) ?? (variant === 'lao' ? 'LAK' : 'BAHT');
    const { min, max } = (await readOperatorData()).setting('withdraw')[currency];
    return { status: 200, body: { withdrawMin: toWire(min), withdrawMax: toWire(max) } };
  });
  route(app, endpoints.getSlipRules, async () => {
    const slip = (await readOperatorData()).setting('slip');
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
