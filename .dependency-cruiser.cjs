// Who may import whom. `tools/deps.mjs` runs it and compares the tables below with the folders.

/** Workspaces that a workspace may import; its tests also those of `testWorkspaces`. */
const workspaces = {
  contract: [],
  phrases: ['contract'],
  web: ['contract', 'phrases'],
  server: ['contract', 'phrases'],
  simulators: [],
  e2e: ['contract', 'phrases'],
  lab: ['contract', 'server', 'e2e', 'tools'],
};
const testWorkspaces = { server: ['simulators'] };

/** Modules of the server that a module may import, each through its index.ts. A new arrow is a decision. */
const modules = {
  account: ['operator-data', 'notification', 'otp'],
  bonus: ['account', 'incentive', 'operator-data'],
  chat: ['account', 'operator-data', 'notification'],
  config: [],
  'deposit/advice': ['deposit/bank-transfer', 'deposit/qrcode', 'deposit/slip', 'deposit/truelink', 'operator-data'],
  'deposit/bank-transfer': ['account', 'deposit/qrcode', 'operator-data'],
  'deposit/qrcode': ['account', 'operator-data'],
  'deposit/slip': ['account', 'deposit/bank-transfer', 'deposit/qrcode', 'operator-data', 'notification'],
  'deposit/truelink': ['account', 'operator-data'],
  event: [],
  game: ['account', 'operator-data'],
  incentive: ['game', 'transfer'],
  invite: ['account', 'game', 'incentive', 'operator-data'],
  'operator-data': [],
  timeline: [
    'bonus',
    'deposit/advice',
    'deposit/bank-transfer',
    'deposit/qrcode',
    'deposit/slip',
    'deposit/truelink',
    'incentive',
    'statement',
    'transfer',
    'withdraw',
  ],
  notification: ['operator-data'],
  otp: ['operator-data'],
  reconcile: [
    'deposit/bank-transfer',
    'deposit/qrcode',
    'deposit/truelink',
    'game',
    'incentive',
    'transfer',
    'withdraw',
  ],
  refund: ['account', 'incentive', 'operator-data'],
  spinwheel: ['account', 'bonus', 'incentive', 'operator-data'],
  statement: ['account', 'game', 'incentive', 'withdraw'],
  transfer: ['account', 'game'],
  wallet: ['account', 'game', 'incentive', 'invite', 'spinwheel', 'withdraw'],
  withdraw: ['account', 'incentive', 'operator-data', 'transfer'],
};

/** What a layer of the server may import apart from itself. */
const serverLayers = {
  platform: [],
  ledger: ['platform/'],
  adapters: ['platform/'],
  modules: ['ledger/', 'adapters/', 'platform/'],
  doctor: ['platform/', 'outside-config'],
  'outside-config': ['adapters/', 'platform/'],
};

const webData = ['api/', 'browser/', 'format/', 'i18n/'];
const webFrame = [...webData, 'routing/', 'ui/'];
const webShared = [...webFrame, 'member/', 'shell/'];

/** What a folder of the web app may import apart from itself. */
const webFolders = {
  browser: [],
  i18n: ['browser/'],
  format: ['i18n/'],
  ui: ['browser/', 'format/', 'i18n/'],
  api: ['browser/', 'i18n/'],
  routing: [...webData, 'ui/'],
  shell: webFrame,
  member: webData,
  shared: webShared,
  features: [...webShared, 'shared/'],
  screens: [...webShared, 'features/', 'shared/'],
  design: ['shared/', 'ui/'],
  worker: ['browser/', 'format/', 'routing/login-target'],
};

const SERVER = '^server/src/';
const MODULES = `${SERVER}modules/`;
const WEB = '^web/src/';
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const anyOf = (names) => `(${names.join('|')})`;

const workspaceRules = Object.entries(workspaces).map(([name, allowed]) => {
  const others = Object.keys(workspaces).filter((other) => other !== name && !allowed.includes(other));
  const exceptTests = testWorkspaces[name] ? { pathNot: `^${name}/test/` } : {};
  return forbid(
    `workspace-${name}`,
    `${name} may import ${allowed.join(', ') || 'no other workspace'}.`,
    { path: `^${name}/`, ...exceptTests },
    { path: `^${anyOf(others)}/` },
  );
});

const testRules = Object.entries(testWorkspaces).map(([name, more]) => {
  const allowed = [name, ...workspaces[name], ...more];
  const others = Object.keys(workspaces).filter((other) => !allowed.includes(other));
  return forbid(
    `workspace-${name}-test`,
    `Tests of ${name} may also import ${more.join(', ')}.`,
    { path: `^${name}/test/` },
    { path: `^${anyOf(others)}/` },
  );
});

const layerRules = (prefix, layers) =>
  Object.entries(layers).map(([name, allowed]) =>
    forbid(
      `layer-${name}`,
      `${name} may import ${allowed.join(', ') || 'no other layer'}.`,
      { path: `${prefix}${name}[/.]`, pathNot: 'web/src/api/contract-check' },
      { path: prefix, pathNot: `${prefix}${anyOf([`${name}[/.]`, ...allowed])}` },
    ),
  );

const moduleRules = Object.entries(modules).map(([name, allowed]) =>
  forbid(
    `module-${name}`,
    `${name} may import ${allowed.join(', ') || 'no other module'}, each through its index.ts.`,
    { path: `${MODULES}${name}/` },
    {
      path: MODULES,
      pathNot: [
        `${MODULES}${name}/`,
        `${MODULES}deposit/[^/]+\\.ts$`,
        ...allowed.map((other) => `${MODULES}${other}/index\\.ts$`),
      ],
    },
  ),
);

const notTypes = { dependencyTypesNot: ['type-only'] };

module.exports = {
  forbidden: [
    forbid('no-cycle', 'Files form no import cycle.', {}, { circular: true, viaOnly: notTypes }),
    ...workspaceRules,
    ...testRules,
    ...layerRules(SERVER, serverLayers),
    ...moduleRules,
    ...layerRules(WEB, webFolders),
    forbid(
      'module-index-only',
      'Other layers use a module through its index.ts.',
      { path: SERVER, pathNot: MODULES },
      { path: `${MODULES}.+/(?!index\\.ts$)[^/]+$` },
    ),
    forbid(
      'ledger-index-only',
      'Other layers use the ledger through its index.ts.',
      { path: SERVER, pathNot: `${SERVER}ledger/` },
      { path: `${SERVER}ledger/(?!index\\.ts$)` },
    ),
    forbid(
      'module-index-on-top',
      'No file of a module imports its index.ts.',
      { path: `${MODULES}(.+)/(?!index\\.ts$)[^/]+$` },
      { path: `${MODULES}$1/index\\.ts$` },
    ),
    forbid(
      'http-from-index',
      'The routes of a module are registered by its index.ts alone.',
      { path: SERVER, pathNot: `${MODULES}.+/index\\.ts$` },
      { path: `${MODULES}.+http\\.ts$` },
    ),
    forbid(
      'routes-in-http',
      'Only http.ts of a module registers routes.',
      { path: MODULES, pathNot: `${MODULES}.+http\\.ts$` },
      { path: `${SERVER}platform/http/route\\.ts$` },
    ),
    forbid(
      'rules-without-queries',
      '<word>.ts holds types and pure rules and runs no query.',
      { path: `${MODULES}(?:deposit/)?([^/]+)/\\1\\.ts$` },
      { path: `${MODULES}.*$1/[^/]*queries\\.ts$`, ...notTypes },
    ),
    forbid(
      'cli-on-top',
      'Only operator commands import operator commands.',
      { path: SERVER, pathNot: `${SERVER}cli/` },
      { path: `${SERVER}cli/` },
    ),
    forbid(
      'driver-in-database',
      'Only platform/database speaks to the driver: it names every recurring statement.',
      { path: SERVER, pathNot: `${SERVER}(platform/database/|ledger/connection\\.ts$)` },
      { path: '(^|node_modules/)pg(/|$)' },
    ),
    forbid(
      'outbound-only',
      'Only platform/http/outbound.ts calls the outside, never inside a transaction.',
      { path: SERVER, pathNot: `${SERVER}platform/(http/outbound|processes/session-forwarding)\\.ts$` },
      { path: '^(node:)?https?$' },
    ),
    forbid(
      'feature-to-feature',
      'A feature imports no other feature.',
      { path: `${WEB}features/([^/]+)/` },
      { path: `${WEB}features/`, pathNot: `${WEB}features/$1/` },
    ),
    forbid(
      'ui-without-data',
      'ui and format know no router and no query, and of the contract its rules and text/.',
      { path: `${WEB}(ui|format)/` },
      { path: ['(^|node_modules/)(wouter|@tanstack)(/|$)', '^contract/(?!src/(text/|rules))'], ...notTypes },
    ),
    forbid(
      'api-without-router',
      'api only transports.',
      { path: `${WEB}api/` },
      { path: '(^|node_modules/)wouter(/|$)' },
    ),
    forbid(
      'no-schemas-in-browser',
      'The browser never loads the schema library.',
      { path: WEB, pathNot: `${WEB}api/contract-check\\.ts$` },
      { path: ['(^|node_modules/)zod(/|$)', '^contract/src/wire-faults\\.ts$'] },
    ),
    forbid(
      'contract-on-zod',
      'The contract depends on the schema library alone.',
      { path: '^contract/src/' },
      { pathNot: ['^contract/src/', '(^|node_modules/)zod(/|$)'] },
    ),
    forbid(
      'file-names',
      'A file is named for what it holds.',
      {},
      { path: '^(?!.*node_modules).*/(utils?|helpers?|misc|common|stuff)\\.(ts|tsx|mjs)$' },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|public)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
  tables: { workspaces, modules, webFolders },
};
