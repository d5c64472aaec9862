/** Source file of the app's entry; the manifest's key. */
export const ENTRY = 'index.html';
const LAYOUT_BY_SHELL = {
  public: ENTRY,
  member: 'src/screens/member-layout.tsx',
  bare: 'src/screens/bare-layout.tsx',
};

export type ScreenFiles = {
  /** URL path; `*` for the page of unknown paths. */
  path: string;
  shell: keyof typeof LAYOUT_BY_SHELL;
  layout: string;
  page: string;
  /** First calls of the screen (method, path and body), which the page sends while its scripts load. */
  calls: readonly string[];
} & ScreenExtras;

type ScreenExtras = {
  /** Source of an inline script that displays the first reply before the app has loaded. */
  earlyScript?: string;
  /** Sources, as the manifest names them, that the screen loads on demand right after hydration: preloaded too. */
  laterModules?: readonly string[];
};

const screenFiles = (
  shell: keyof typeof LAYOUT_BY_SHELL,
  path: string,
  page: string,
  calls: readonly string[] = [],
  extras: ScreenExtras = {},
): ScreenFiles => ({
  path,
  shell,
  layout: LAYOUT_BY_SHELL[shell],
  page: `src/${page}.tsx`,
  calls,
  ...extras,
});

/** Call that loads the operator's name, which every screen with a menu shows. */
const OPERATOR_INFO_CALL = 'GET /api/lookup/info ';

const CONTACT_CALLS = ['GET /api/lookup/contact ', OPERATOR_INFO_CALL];
const CONTACT_EXTRAS: ScreenExtras = {
  earlyScript: 'src/features/contact/early-code.ts',
  // The text of the operator is shown once the sanitiser has loaded.
  laterModules: ['../node_modules/dompurify/dist/purify.es.mjs'],
};

/** Screens that a visitor may see first; the budgets limit their scripts and pages. */
export const firstScreens: readonly ScreenFiles[] = [
  screenFiles('public', '/login', 'features/login/login-page'),
  screenFiles('public', '/register', 'features/register/register-page'),
];

/** All screens with a prerendered page. */
export const screens: readonly ScreenFiles[] = [
  ...firstScreens,
  screenFiles('public', '/howto', 'features/howto/howto-page', [OPERATOR_INFO_CALL]),
  screenFiles('public', '/contact', 'screens/contact-screen', CONTACT_CALLS, CONTACT_EXTRAS),
  screenFiles(
    'member',
    '/user/home',
    'screens/home-screen',
    ['GET /api/wallet ', 'GET /api/spinwheel/active ', OPERATOR_INFO_CALL],
    { earlyScript: 'src/features/home/early-balance.ts' },
  ),
  screenFiles('member', '/user/profile', 'screens/profile-screen', [
    'GET /api/account/profile ',
    'GET /api/account/settings ',
    OPERATOR_INFO_CALL,
  ]),
  screenFiles(
    'member',
    '/user/bonus',
    'screens/bonus-screen',
    ['GET /api/bonus ', 'GET /api/bonus/check/active ', OPERATOR_INFO_CALL],
    { earlyScript: 'src/features/bonus/early-banners.ts' },
  ),
  screenFiles(
    'member',
    '/user/spin',
    'features/spinwheel/spinwheel-page',
    ['GET /api/spinwheel/setup ', 'GET /api/spinwheel/active ', 'GET /api/spinwheel/coupon ', OPERATOR_INFO_CALL],
    { earlyScript: 'src/features/spinwheel/early-terms.ts' },
  ),
  screenFiles('member', '/user/statement', 'features/statement/statement-page', [
    'POST /api/statement {"page":1,"limit":10}',
    OPERATOR_INFO_CALL,
  ]),
  screenFiles('member', '/user/howto', 'features/howto/howto-page', [OPERATOR_INFO_CALL]),
  screenFiles('member', '/user/contact', 'screens/contact-screen', CONTACT_CALLS, CONTACT_EXTRAS),
  screenFiles('bare', '/terminated', 'screens/terminated-page'),
  screenFiles('bare', '*', 'screens/not-found-page'),
];
