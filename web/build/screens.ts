/** Which sources make up which screen; what the pages preload and the budgets weigh. */
export const ENTRY = 'index.html';
const LAYOUT = { public: 'src/layouts/public-layout.tsx', member: 'src/layouts/member-layout.tsx' };

export type ScreenFiles = { path: string; layout: string; page: string; words: readonly string[] };

/** The screens whose pages are made at build time. */
export const prerenderedScreens: readonly ScreenFiles[] = [
  { path: '/login', layout: LAYOUT.public, page: 'src/features/login/login-page.tsx', words: ['login'] },
  { path: '/register', layout: LAYOUT.public, page: 'src/features/register/register-page.tsx', words: ['register'] },
];
