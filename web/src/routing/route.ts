import type { Catalogue, Word } from '@krapao/phrases/catalogue';
import type { ComponentType, ReactNode } from 'react';

/** `public` clears a stored session, `member` needs one, `bare` cares about neither and has no menu. */
export type Shell = 'public' | 'member' | 'bare';

export type Page = ComponentType;
export type Layout = ComponentType<{ children: ReactNode }>;

/** One screen: its address, the shell around it, and what must be there before it is shown. */
export type Route = {
  path: string;
  shell: Shell;
  /** Key of `common:title`. */
  title: keyof Catalogue['common']['title'];
  /** Loads the screen's component. */
  page: () => Promise<Page>;
  /** Files of words the screen uses, beyond `common`. */
  words: readonly Word[];
  /** Runs each time the screen is opened by its address, without being waited for. */
  onEnter?: () => void;
};

/** An address that is only a way to another. */
export type Redirect = { path: string; to: string };
