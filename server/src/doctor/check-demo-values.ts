import type { SeedState } from '../platform/documents/subject.ts';
import { configEditCommands, createFindingFactory, type Finding } from './finding.ts';

/** A subject that the seed inserts, with its document in force. */
export type SeedSubject = SeedState & { name: string };
/** What is in use: subjects of the seed, and values of the outside file that equal the seed's. */
export type DemoValues = {
  subjects: readonly SeedSubject[];
  /** Receiving accounts of the seed that the outside file has, as `CODE NUMBER`. */
  accounts: readonly string[];
  /** The seed's phone of the wallet app, if the outside file has it. */
  walletAppPhone: string | undefined;
  /** The seed's link to support, if it is in use. */
  contactLink: string | undefined;
};

const { good, warning, fault } = createFindingFactory('demo values');

/** Subjects whose seed is a demo value. The text names the harm, if it costs money or binds members. */
export const DEMO_SUBJECTS: ReadonlyMap<string, string | undefined> = new Map([
  ['setting:info', undefined],
  ['setting:notice', undefined],
  ['setting:withdraw', undefined],
  ['texts:agreement', 'members agree to the demo agreement'],
  ['texts:condition', 'members read the demo conditions'],
  ['banners:invite', undefined],
  ['banners:refund', undefined],
  ['games', undefined],
  ['wheel', 'members win the prizes of the demo wheel, at its odds'],
  ['refunds', 'members get refunds by the demo terms'],
  ['invites', 'members earn from invites by the demo terms'],
]);
/** What delivered banners promise, also when the terms behind them are switched off. */
const DEMO_PROMISES: ReadonlyMap<string, string> = new Map([
  ['banners:invite', 'a referral bonus'],
  ['banners:refund', 'cashback'],
]);
const OFFER_PREFIX = 'offer:';

/** Checks which demo values are still in use: each is public, and none was chosen for this site. */
export function checkDemoValues({ subjects, accounts, walletAppPhone, contactLink }: DemoValues): Finding[] {
  const findings = [
    ...accounts.map((account) =>
      fault(
        `${account} in the outside file is a demo account: members pay to it, or withdrawals leave it.`,
        `Put your own account into bank.accounts of the outside file, then ${configEditCommands('deposit-accounts')}`,
      ),
    ),
    ...(walletAppPhone === undefined
      ? []
      : [
          fault(
            `walletApp.phone of the outside file is the demo phone ${walletAppPhone}: members pay to it.`,
            `Put your own phone there, or remove walletApp, then ${configEditCommands('deposit-accounts')}`,
          ),
        ]),
    ...(contactLink === undefined
      ? []
      : [fault(`Members are sent to the demo contact ${contactLink}.`, configEditCommands('setting:contact'))]),
    ...subjects.filter(({ isChosen }) => !isChosen).flatMap(checkSubject),
  ];
  return findings.length > 0 ? findings : [good('Nothing in use is as delivered, unless an operator chose it.')];
}

function checkSubject({ name, document, isSeed }: SeedSubject): Finding[] {
  if (name.startsWith(OFFER_PREFIX)) return checkOffer(name, document as Offer | null, isSeed);
  if (!isSeed || isOff(document)) return [];
  const harm = DEMO_SUBJECTS.get(name);
  const promise = DEMO_PROMISES.has(name) ? `: it promises members ${DEMO_PROMISES.get(name) ?? ''}` : '';
  return harm === undefined
    ? [warning(`${name} is as delivered${promise}.`, applyOrKeepRemedy(name))]
    : [fault(`${name} is as delivered: ${harm}.`, applyOrKeepRemedy(name))];
}

type Offer = { kind: string; isOn: boolean };

function checkOffer(name: string, offer: Offer | null, isSeed: boolean): Finding[] {
  if (!offer?.isOn) return [];
  const code = name.slice(OFFER_PREFIX.length);
  const remedy = `krapao offers off ${code} NAME WHY, or ${applyOrKeepRemedy(name)}`;
  if (offer.kind === 'PROMOTION') return [fault(`The code ${code} is on, and public: it is delivered.`, remedy)];
  return isSeed ? [fault(`The offer ${code} is on with its demo terms.`, remedy)] : [];
}

/** A programme that is switched off, or a wheel that is retired. */
const isOff = (document: unknown): boolean =>
  document === null || (typeof document === 'object' && 'isActive' in document && document.isActive === false);

const applyOrKeepRemedy = (subject: string): string =>
  `${configEditCommands(subject)} Applied without a change, it counts as chosen.`;
