import { PublicLayout } from './shell/public-layout.tsx';
import { checkSiteStatus } from './shell/site-status.ts';
import type { Redirect, Route, RouteTable } from './routing/router.ts';

/** All routes of the app. Each screen is a lazy `import()`, and so a chunk of its own; its namespaces load with it. */
const redirects: readonly Redirect[] = [
  { path: '/', to: '/user' },
  { path: '/user', to: '/user/home' },
];

const routes: Route[] = [
  {
    path: '/login',
    shell: 'public',
    title: 'login',
    words: ['login'],
    page: () => import('./features/login/login-page.tsx').then((module) => module.LoginPage),
    onEnter: () => void checkSiteStatus(),
  },
  {
    path: '/register',
    shell: 'public',
    title: 'register',
    words: ['register'],
    page: () => import('./features/register/register-page.tsx').then((module) => module.RegisterPage),
  },
  {
    path: '/user/home',
    shell: 'member',
    title: 'home',
    words: ['home', 'agreement'],
    page: () => import('./screens/home-screen.tsx').then((module) => module.HomeScreen),
  },
  {
    path: '/user/profile',
    shell: 'member',
    title: 'profile',
    words: ['profile'],
    page: () => import('./features/profile/profile-page.tsx').then((module) => module.ProfilePage),
  },
  {
    path: '/user/bonus',
    shell: 'member',
    title: 'bonus',
    words: ['bonus', 'incentive'],
    page: () => import('./screens/bonus-screen.tsx').then((module) => module.BonusScreen),
  },
  {
    path: '/user/spin',
    shell: 'member',
    title: 'spin',
    words: ['spinwheel'],
    page: () => import('./features/spinwheel/spinwheel-page.tsx').then((module) => module.SpinPage),
  },
  {
    path: '/user/statement',
    shell: 'member',
    title: 'statement',
    words: ['statement'],
    page: () => import('./features/statement/statement-page.tsx').then((module) => module.StatementPage),
  },
  {
    path: '/user/howto',
    shell: 'member',
    title: 'howto',
    words: ['howto'],
    page: () => import('./features/howto/howto-page.tsx').then((module) => module.HowtoPage),
  },
  {
    path: '/howto',
    shell: 'public',
    title: 'howto',
    words: ['howto', 'parts'],
    page: () => import('./features/howto/howto-page.tsx').then((module) => module.HowtoPage),
  },
  {
    path: '/contact',
    shell: 'public',
    title: 'contact',
    words: ['contact', 'parts'],
    page: () => import('./screens/contact-screen.tsx').then((module) => module.PublicContactScreen),
  },
  {
    path: '/user/contact',
    shell: 'member',
    title: 'contact',
    words: ['contact'],
    page: () => import('./screens/contact-screen.tsx').then((module) => module.MemberContactScreen),
  },
  {
    path: '/terminated',
    shell: 'bare',
    title: 'terminated',
    words: [],
    page: () => import('./screens/terminated-page.tsx').then((module) => module.TerminatedPage),
  },
];

if (import.meta.env.DEV) {
  routes.push({
    path: '/design',
    shell: 'bare',
    title: 'design',
    words: ['errors'],
    page: () => import('./design/design-page.tsx').then((module) => module.DesignPage),
  });
}

const notFound: Route = {
  path: '*',
  shell: 'bare',
  title: 'notFound',
  words: [],
  page: () => import('./screens/not-found-page.tsx').then((module) => module.NotFoundPage),
};

export const routeTable: Omit<RouteTable, 'styles'> = {
  routes,
  redirects,
  notFound,
  layouts: {
    // In the entry script of every page.
    public: async () => PublicLayout,
    member: () => import('./member/member-layout.tsx').then((module) => module.MemberLayout),
    bare: () => import('./screens/bare-layout.tsx').then((module) => module.BareLayout),
  },
};
