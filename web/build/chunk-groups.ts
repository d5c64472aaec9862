import { join } from 'node:path';

interface Group {
  name: string;
  /** Folders and files below web/src. */
  paths: readonly string[];
  /** Files elsewhere. */
  others?: RegExp;
  /** Folders of `paths` that the group leaves out. */
  except?: readonly string[];
  priority?: number;
  minShareCount?: number;
}

const SOURCES = join(import.meta.dirname, '../src');

/**
 * A screen loads seven to twelve files: small ones compress badly, and a browser makes six requests concurrently. A module goes
 * to the first group by priority that lists it, with all its imports. A group that pages without a session load must not
 * import a group of the members' pages.
 */
export const groups: readonly Group[] = [
  {
    // Rarely changes.
    name: 'libraries',
    paths: [],
    others: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|wouter|regexparam)\/|rolldown.runtime/,
    priority: 3,
  },
  {
    // Every first screen.
    name: 'shell',
    paths: [
      'shell',
      'routing',
      'i18n',
      'ui/core',
      'api/call.ts',
      'api/preloaded.ts',
      'api/errors.ts',
      'api/session.ts',
      'api/lookup.ts',
      'api/random-id.ts',
    ],
    others: /contract\/src\/(?!fair-draw|chat-text)/,
    priority: 2,
  },
  // Shown in place of data or around it, with and without a session.
  { name: 'states', paths: ['ui/data'], priority: 2 },
  {
    // Every page of a member.
    name: 'member',
    paths: [
      'member',
      'api/query/query.ts',
      'api/query/member-events.ts',
      'format/number.ts',
      'format/date.ts',
      'ui/game-icons.tsx',
      'ui/amount.tsx',
    ],
    others: /node_modules\/@tanstack\//,
    priority: 1,
  },
  { name: 'cards', paths: ['ui/carousel'], priority: 1 },
  { name: 'offers', paths: ['ui/art/gift-art.tsx', 'shared/incentive.tsx', 'api/query/command.ts'], priority: 1 },
  { name: 'spinwheel', paths: ['features/spinwheel/use-spin.ts'], priority: 1 },
  {
    // Shared by two or more pages or dialogs, none of which needs a session.
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
    except: ['ui/art'],
    minShareCount: 2,
  },
];

/** The groups as the bundler takes them. */
export const bundlerGroups = groups.map(({ paths, others, except = [], ...group }) => ({
  ...group,
  test: (id: string): boolean => (isBelow(id, paths) && !isBelow(id, except)) || others?.test(id) === true,
}));

function isBelow(id: string, paths: readonly string[]): boolean {
  return paths.some((path) => {
    const whole = join(SOURCES, path);
    return id === whole || id.startsWith(`${whole}/`);
  });
}
