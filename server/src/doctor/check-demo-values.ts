import { configEditCommands, type Finding, createFindingFactory } from './finding.ts';

/** A subject of the configuration, compared with its delivered document. */
export type DeliveredSubject = {
  name: string;
  document: unknown;
  isSeed: boolean;
  /** Whether an operator applied the document, also if it is as delivered. */
  isChosen: boolean;
};
/** What is in use, beside the delivered subjects: accounts of the outside file that are those of the seed. */
export type DemoValues = {
  subjects: readonly DeliveredSubject[];
  /** Delivered receiving accounts that the outside file has, as `CODE NUMBER`. */
  accounts: readonly string[];
  /** The delivered phone of the wallet app, if the outside file has it. */
  walletAppPhone: string | undefined;
  /** The delivered link to support, if it is in use. */
  contactLink: string | undefined;
};

const { good, warning, fault } = createFindingFactory('demo values');

/** Subjects whose delivered document is an example, with the harm of those that cost money or bind members. */
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
const OFFER_PREFIX = 'offer:';

/** Checks which delivered values are still in use: each is public, and none was chosen for this site. */
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

function checkSubject({ name, document, isSeed }: DeliveredSubject): Finding[] {
  if (name.startsWith(OFFER_PREFIX)) return checkOffer(name, document as Offer | null, isSeed);
  if (!isSeed || isOff(document)) return [];
  const harm = DEMO_SUBJECTS.get(name);
  return harm === undefined
    ? [warning(`${name} is as delivered.`, applyOrKeepRemedy(name))]
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
