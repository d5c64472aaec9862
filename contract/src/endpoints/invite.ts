import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, cursorPageBody, text, timeCursor, timestamp } from '../shapes.ts';
import { banner } from './bonus.ts';

export const listInvites = endpoint({
  method: 'POST',
  path: '/api/invite',
  access: 'member',
  summary: 'The members that the member has invited, newest first, and the earnings from each',
  body: cursorPageBody(timeCursor),
  replies: {
    200: z.object({
      total: z.int(),
      /** Percentage of invitees' play that is paid; 0 while the programme is off. */
      percent: z.number(),
      invites: z.array(z.object({ from: z.object({ name: z.string() }), amount, createdAt: timestamp })),
      next: timeCursor.optional(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const findInviter = endpoint({
  method: 'GET',
  path: '/api/invite/inviter/{code}',
  access: 'public',
  summary: 'Who invites by this code: first name and initial, else the member code',
  params: z.object({ code: text(64).min(1) }),
  replies: {
    200: z.object({
      /** Null for an unknown code. */
      inviter: z.string().nullable(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const receiveInviteBonus = endpoint({
  method: 'GET',
  path: '/api/invite/bonus',
  access: 'member',
  summary: 'Receive what the play of invited friends has earned',
  replies: { 200: z.object({ message: z.string(), amount, reference: z.string() }) },
  errors: ['INVITE_INACTIVE', 'NO_INVITEE_PLAY_INFO', 'NO_INVITE_BONUS', 'INVITE_BONUS_FAIL', 'NO_WALLET'],
  malformed: 'NO_DATA',
  changesState: true,
});

export const inviteBanners = endpoint({
  method: 'GET',
  path: '/api/invite/banners',
  access: 'member',
  summary: 'What the operator shows before the invite link',
  replies: { 200: z.array(banner) },
  errors: [],
  malformed: 'NO_DATA',
});
