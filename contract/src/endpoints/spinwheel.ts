import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

export const spinwheelActive = endpoint({
  method: 'GET',
  path: '/api/spinwheel/active',
  access: 'member',
  summary: 'Whether the spin wheel is open',
  reply: { 200: z.object({ isActive: z.boolean() }) },
  errors: [],
  malformed: 'NO_DATA',
});
