/** Source files of each screen, for preloading and byte budgets. */
export const ENTRY = 'index.html';
const LAYOUT = {
  public: ENTRY,
  member: 'src/member/member-layout.tsx',
  bare: 'src/screens/bare-layout.tsx',
};

export type ScreenFiles = {
  /** Path; `*` for unknown ones. */
  path: string;
  shell: keyof typeof LAYOUT;
  layout: string;
  page: string;
  /** First calls of the screen, sent by the page in parallel with its scripts: method, path and body. */
  calls: readonly string[];
  /** Inline script that shows the first reply before the app does. */
  early?: string;
};

const screen = (
  shell: keyof typeof LAYOUT,
  path: string,
  page: string,
  calls: readonly string[] = [],
  early?: string,
): ScreenFiles => ({ path, shell, layout: LAYOUT[shell], page: `src/${page}.tsx`, calls, ...(early && { early }) });

/** The operator's name, part of every screen with a menu. */
const INFO = 'GET /api/lookup/info ';

/** First screens of a visitor: the budgets weigh their scripts and pages. */
export const firstScreens: readonly ScreenFiles[] = [
  screen('public', '/login', 'features/login/login-page'),
  screen('public', '/register', 'features/register/register-page'),
];

/** Every screen; each has a prerendered page. */
export const screens: readonly ScreenFiles[] = [
  ...firstScreens,
  screen('public', '/howto', 'features/howto/howto-page', [INFO]),
  screen('public', '/contact', 'screens/contact-screen', ['GET /api/lookup/contact ', INFO]),
  screen(
    'member',
    '/user/home',
    'screens/home-screen',
    ['GET /api/wallet ', 'GET /api/spinwheel/active ', INFO],
    'src/features/home/early-balance.ts',
  ),
  screen('member', '/user/profile', 'features/profile/profile-page', ['GET /api/account/profile ', INFO]),
  screen('member', '/user/bonus', 'screens/bonus-screen', ['GET /api/bonus ', 'GET /api/bonus/check/active ', INFO]),
  screen('member', '/user/spin', 'features/spinwheel/spinwheel-page', ['GET /api/spinwheel/active ', INFO]),
  screen('member', '/user/statement', 'features/statement/statement-page', [
    'POST /api/statement {"page":1,"limit":10}',
    INFO,
  ]),
  screen('member', '/user/howto', 'features/howto/howto-page', [INFO]),
  screen('member', '/user/contact', 'screens/contact-screen', ['GET /api/lookup/contact ', INFO]),
  screen('bare', '/terminated', 'screens/terminated-page'),
  screen('bare', '*', 'screens/not-found-page'),
];
