import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, codeParam, done, text } from '../shapes.ts';

const slotParams = z.object({ slotCode: codeParam });

export const gameCredentials = z.object({
  username: z.string(),
  password: z.string(),
  /** Target and fields of the launch form, for a game that opens by a form. */
  form: z.object({ action: z.string(), fields: z.record(z.string(), z.string()) }).optional(),
});

export const refreshSlots = endpoint({
  method: 'GET',
  path: '/api/wallet/refresh/slot',
  access: 'member',
  summary: 'Ask every provider for the balances of the game accounts, concurrently',
  replies: {
    200: z.object({
      slots: z.array(
        z.object({ code: z.string(), amount, outstanding: amount, turnover: amount.nullable(), isStale: z.boolean() }),
      ),
    }),
  },
  errors: ['NO_WALLET'],
  malformed: 'NO_DATA',
  changesState: true,
});

export const activateSlot = endpoint({
  method: 'GET',
  path: '/api/wallet/activate/{slotCode}',
  access: 'member',
  summary: 'Open a game account',
  params: slotParams,
  replies: { 200: gameCredentials },
  errors: ['NO_GAME', 'NO_WALLET', 'SLOT_ALREADY_ACTIVE', 'SLOT_ACTIVATE_FAIL', 'GAME_ACTIVATION_FAIL'],
  malformed: 'NO_GAME',
  changesState: true,
});

export const getSlotAccount = endpoint({
  method: 'GET',
  path: '/api/wallet/account/{slotCode}',
  access: 'member',
  summary: 'Username and password of a game account; every reveal is logged',
  params: slotParams,
  replies: { 200: gameCredentials },
  errors: ['NO_GAME', 'SLOT_NO_ACCOUNT'],
  malformed: 'NO_GAME',
});

export const resetSlotPassword = endpoint({
  method: 'GET',
  path: '/api/wallet/resetpassword/{slotCode}',
  access: 'member',
  summary: 'Give a game account a new password',
  params: slotParams,
  replies: { 200: gameCredentials },
  errors: ['NO_GAME', 'SLOT_NO_ACCOUNT', 'SLOT_RESET_PASSWORD_FAIL', 'REQUEST_LIMIT_1MIN'],
  malformed: 'NO_GAME',
  changesState: true,
});

const launchErrors = ['NO_GAME', 'SLOT_NO_ACCOUNT', 'INVALID_USER_3', 'GAME_ACTIVATION_FAIL'] as const;

export const autoLogin = endpoint({
  method: 'GET',
  path: '/api/autoLogin/{provider}/{username}',
  access: 'member',
  summary: 'A link that opens a game signed in as the member',
  params: z.object({ provider: codeParam, username: text(64).min(1) }),
  replies: { 200: z.object({ link: z.string() }) },
  errors: launchErrors,
  malformed: 'NO_GAME',
  changesState: true,
});

export const autoLoginWithPassword = endpoint({
  method: 'GET',
  path: '/api/autoLogin/{provider}/{username}/{password}',
  access: 'member',
  summary: 'The same for providers that sign in by password; the one in the path is ignored, the kept one is used',
  params: z.object({ provider: codeParam, username: text(64).min(1), password: text(128) }),
  secretParams: ['password'],
  replies: { 200: z.object({ link: z.string() }) },
  errors: launchErrors,
  malformed: 'NO_GAME',
  changesState: true,
});

export const addFavourite = endpoint({
  method: 'PUT',
  path: '/api/wallet/favourite/{slotCode}',
  access: 'member',
  summary: 'Mark a game as a favourite',
  params: slotParams,
  replies: { 200: done },
  errors: ['NO_GAME'],
  malformed: 'NO_GAME',
});

export const removeFavourite = endpoint({
  method: 'DELETE',
  path: '/api/wallet/favourite/{slotCode}',
  access: 'member',
  summary: 'Remove a game from the favourites',
  params: slotParams,
  replies: { 200: done },
  errors: ['NO_GAME'],
  malformed: 'NO_GAME',
});

export const listGames = endpoint({
  method: 'GET',
  path: '/api/lookup/games',
  access: 'public',
  summary: 'Providers of the games, and all names under which a search finds each game',
  replies: {
    200: z.object({
      games: z.array(z.object({ code: z.string(), provider: z.string(), names: z.array(z.string()) })),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const listPopularGames = endpoint({
  method: 'GET',
  path: '/api/lookup/popular',
  access: 'public',
  summary: 'Codes of the games that most members opened within a week, most popular first',
  replies: { 200: z.object({ games: z.array(z.string()) }) },
  errors: [],
  malformed: 'NO_DATA',
});
