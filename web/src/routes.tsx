import type { Redirect, Route, RouteTable } from './routing/router.ts';
import { PublicLayout } from './shell/public-layout.tsx';
import { checkSiteStatus } from './shell/site-status.ts';

/** Paths that redirect to another path. */
const redirects: readonly Redirect[] = [
  { path: '/', to: '/user' },
  { path: '/user', to: '/user/home' },
];

/** All screens. Each page is a lazy import with its own chunk, and its namespaces load with the chunk. */
const routes: Route[] = [
  {
    path: '/login',
    shell: 'public',
    title: 'login',
    namespaces: ['login'],
    page: () => import('./features/login/login-page.tsx').then((module) => module.LoginPage),
    onEnter: () => void checkSiteStatus(),
  },
  {
    path: '/register',
    shell: 'public',
    title: 'register',
    namespaces: ['register'],
    page: () => import('./features/register/register-page.tsx').then((module) => module.RegisterPage),
  },
  {
    path: '/user/home',
    shell: 'member',
    title: 'home',
    namespaces: ['home'],
    page: () => import('./screens/home-screen.tsx').then((module) => module.HomeScreen),
  },
  {
    path: '/user/profile',
    shell: 'member',
    title: 'profile',
    namespaces: ['profile'],
    page: () => import('./screens/profile-screen.tsx').then((module) => module.ProfileScreen),
  },
  {
    path: '/user/bonus',
    shell: 'member',
    title: 'bonus',
    namespaces: ['bonus', 'incentive'],
    page: () => import('./screens/bonus-screen.tsx').then((module) => module.BonusScreen),
  },
  {
    path: '/user/spin',
    shell: 'member',
    title: 'spin',
    namespaces: ['spinwheel'],
    page: () => import('./features/spinwheel/spinwheel-page.tsx').then((module) => module.SpinPage),
  },
  {
    path: '/user/statement',
    shell: 'member',
    title: 'statement',
    namespaces: ['statement'],
    page: () => import('./features/statement/statement-page.tsx').then((module) => module.StatementPage),
  },
  {
    path: '/user/howto',
    shell: 'member',
    title: 'howto',
    namespaces: ['howto'],
    page: () => import('./features/howto/howto-page.tsx').then((module) => module.HowtoPage),
  },
  {
    path: '/howto',
    shell: 'public',
    title: 'howto',
    namespaces: ['howto', 'parts'],
    page: () => import('./features/howto/howto-page.tsx').then((module) => module.HowtoPage),
  },
  {
    path: '/contact',
    shell: 'public',
    title: 'contact',
    namespaces: ['contact', 'parts'],
    page: () => import('./screens/contact-screen.tsx').then((module) => module.PublicContactScreen),
  },
  {
    path: '/user/contact',
    shell: 'member',
    title: 'contact',
    namespaces: ['contact'],
    page: () => import('./screens/contact-screen.tsx').then((module) => module.MemberContactScreen),
  },
  {
    path: '/terminated',
    shell: 'bare',
    title: 'terminated',
    namespaces: [],
    page: () => import('./screens/terminated-page.tsx').then((module) => module.TerminatedPage),
  },
];

if (import.meta.env.DEV) {
  routes.push({
    path: '/design',
    shell: 'bare',
    title: 'design',
    namespaces: ['errors'],
    page: () => import('./design/design-page.tsx').then((module) => module.DesignPage),
  });
}

const notFound: Route = {
  path: '*',
  shell: 'bare',
  title: 'notFound',
  namespaces: [],
  page: () => import('./screens/not-found-page.tsx').then((module) => module.NotFoundPage),
};

export const routeTable: Omit<RouteTable, 'styles'> = {
  routes,
  redirects,
  notFound,
  layouts: {
    // The public layout is part of the entry script.
    public: async () => PublicLayout,
    member: () => import('./screens/member-layout.tsx').then((module) => module.MemberLayout),
    bare: () => import('./screens/bare-layout.tsx').then((module) => module.BareLayout),
  },
};
