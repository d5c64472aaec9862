import { join } from 'node:path';

interface ChunkGroup {
  name: string;
  /** Folders and files below web/src that belong to the group. */
  paths: readonly string[];
  /** Modules outside web/src that belong to the group. */
  otherFiles?: RegExp;
  /** Subfolders of `paths` that don't belong to the group. */
  exceptPaths?: readonly string[];
  priority?: number;
  minShareCount?: number;
}

const SOURCE_FOLDER = join(import.meta.dirname, '../src');

/** Modules of `member` that few pages need. */
const rareFiles = ['launches', 'opening-time', 'settings', 'strip-shown', 'withdrawal'].map(
  (name) => `member/${name}.ts`,
);

/**
 * Groups of modules that are bundled into one chunk. A screen loads seven to twelve files: small files compress badly,
 * and a browser sends six requests concurrently. A module and its imports belong to the first group, by priority, that
 * lists the module. A group loaded by pages without a session must not import a group of the members' pages.
 */
export const groups: readonly ChunkGroup[] = [
  {
    // In a chunk of their own because libraries rarely change.
    name: 'libraries',
    paths: [],
    otherFiles: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|wouter|regexparam)\/|rolldown.runtime/,
    priority: 3,
  },
  {
    // Modules that every first screen needs.
    name: 'shell',
    paths: [
      'browser',
      'shell',
      'routing',
      'i18n',
      'ui/core',
      'api/call.ts',
      'api/preloaded.ts',
      'api/errors.ts',
      'api/error-text.ts',
      'api/session.ts',
      'api/operator-data.ts',
      // Used by `parts`, which must not import `member`.
      'format/number.ts',
      'format/date.ts',
      // Read by the home page; the pages with a session have no room for it.
      'member/quick-play.ts',
    ],
    otherFiles:
      /contract\/src\/(?!fair-draw|chat-text|deposit-advice|bonus-terms|statement|usual-time|text\/(search|typed|one-time))/,
    priority: 2,
  },
  // Components shown instead of data or around data, with and without a session.
  { name: 'states', paths: ['ui/data'], priority: 2 },
  {
    // Modules that every member page needs.
    name: 'member',
    paths: [
      'member',
      'screens/member-layout.tsx',
      'screens/load-dialogs.ts',
      'screens/needs-connection.tsx',
      'screens/start-aside.ts',
      'shared/balance-display.tsx',
      'shared/ended-conditions.ts',
      'shared/lazy-dialog.ts',
      'shared/open-money.ts',
      'api/query/query.ts',
      'api/query/member-events.ts',
      'ui/amount.tsx',
    ],
    otherFiles: /node_modules\/@tanstack\//,
    exceptPaths: rareFiles,
    priority: 1,
  },
  { name: 'cards', paths: ['ui/carousel'], priority: 1 },
  { name: 'offers', paths: ['ui/art/gift-art.tsx', 'shared/incentive.tsx', 'api/query/command.ts'], priority: 1 },
  // What home shares with the dialogs, and what its lobby does.
  {
    name: 'play',
    paths: ['features/game/game-return.ts', 'member/opening-time.ts', 'shared/chat-draft.ts'],
    priority: 1,
  },
  {
    name: 'choices',
    paths: [
      'member/launches.ts',
      'member/settings.ts',
      'shared/favourite-button.tsx',
      'shared/play-again.ts',
      'shared/saved-choice.ts',
    ],
    priority: 1,
  },
  {
    // What `screens/aside.tsx` shares; every member page loads it when idle.
    name: 'beside',
    paths: [
      'features/install/install-state.ts',
      'features/install/update.ts',
      'features/notification/use-notices.ts',
      'member/strip-shown.ts',
      'shared/detached-root.tsx',
    ],
    priority: 1,
  },
  {
    // What the dialogs of home and bonus share.
    name: 'dialog-parts',
    paths: ['shared/ask-support.tsx', 'shared/picture.ts', 'shared/time-and-fee.tsx', 'ui/art/banner-carousel.tsx'],
    otherFiles: /contract\/src\/usual-time/,
    priority: 1,
  },
  { name: 'spinwheel', paths: ['features/spinwheel/use-spin.ts'], priority: 1 },
  {
    // Modules shared by several pages or dialogs; none of them needs a session.
    name: 'parts',
    paths: [
      'ui',
      'format',
      'shared/refusal-text.ts',
      'shared/open-tab.ts',
      'shared/image-file.ts',
      'shared/dialog-boundary.tsx',
      'api/upload.ts',
    ],
    otherFiles: /contract\/src\/text\/(search|typed)/,
    exceptPaths: ['ui/art'],
    minShareCount: 2,
  },
];

/** The groups in the format of the bundler. */
export const bundlerGroups = groups.map(({ paths, otherFiles, exceptPaths = [], ...group }) => ({
  ...group,
  test: (id: string): boolean => (isBelow(id, paths) && !isBelow(id, exceptPaths)) || otherFiles?.test(id) === true,
}));

function isBelow(id: string, paths: readonly string[]): boolean {
  return paths.some((path) => {
    const absolutePath = join(SOURCE_FOLDER, path);
    return id === absolutePath || id.startsWith(`${absolutePath}/`);
  });
}
