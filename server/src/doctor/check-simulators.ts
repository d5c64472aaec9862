import { type Outside, OWN_URL_KEYS } from '../outside-config.ts';
import { createFindingFactory, type Finding } from './finding.ts';
import { collectSites, isOwnMachine, listFields, type Site } from './sites.ts';

/** Where simulators of these settings are. */
export type SimulatorAddress = { port: number; url: string | undefined };

const { warning, fault } = createFindingFactory('demo values');
/** Names that the pages of deploy/ and their containers give to the simulators. */
const SIMULATOR_HOST = /^(?:[\w-]*simulators?[\w-]*(?:\..*)?|outside)$/;
/** URL paths of simulators that differ from their key in the outside file. */
const SIMULATOR_PATHS: Readonly<Record<string, string>> = {
  bank: 'bank-api',
  walletApp: 'wallet-app-api',
  chatBackend: 'chat-backend',
};
/** A real host may have the path of one simulator, but not of several parties. */
const SIMULATED_PARTIES_MIN = 3;
const REMEDY =
  'Put the addresses of your contracts there, delete the other parties, restart every node: docs/deploy/go-live.md.';

/** Checks that no party of the outside file is a simulator: it accepts payments that are no real money. */
export function checkSimulators(outside: Outside, simulators: SimulatorAddress): Finding[] {
  return collectSites(removeOwnUrls(outside)).flatMap((site) => {
    const { origin, hostname } = site.url;
    if (isSimulator(site, outside, simulators)) {
      return [
        fault(
          `${origin} is the address of the simulators: payments there are not real (${listFields(site.fields)}).`,
          REMEDY,
        ),
      ];
    }
    if (!isOwnMachine(hostname)) return [];
    return [warning(`${origin} is this machine, as for simulators (${listFields(site.fields)}).`, REMEDY)];
  });
}

function isSimulator({ url, fields }: Site, outside: Outside, simulators: SimulatorAddress): boolean {
  if (simulators.url === url.origin || SIMULATOR_HOST.test(url.hostname)) return true;
  if (simulators.port !== 0 && url.port === String(simulators.port)) return true;
  const parties = Object.entries({ ...outside, ...prefixNames(outside.games) }).filter(([name, party]) => {
    const path = name in SIMULATOR_PATHS ? SIMULATOR_PATHS[name] : name.replace('.', '/');
    return hasUrl(party) && party.url.replace(/\/+$/, '') === `${url.origin}/${path ?? ''}`;
  });
  return fields.length >= SIMULATED_PARTIES_MIN && parties.length >= SIMULATED_PARTIES_MIN;
}

const prefixNames = (games: Outside['games']): object =>
  Object.fromEntries(Object.entries(games).map(([name, game]) => [`games.${name}`, game]));

const hasUrl = (party: unknown): party is { url: string } =>
  typeof party === 'object' && party !== null && 'url' in party && typeof party.url === 'string';

/** Removes the URLs that counterparties call: the server doesn't call them. */
function removeOwnUrls(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN_URL_KEYS.test(name))
      .map(([name, child]) => [name, isPlainObject(child) ? removeOwnUrls(child) : child]),
  );
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
