import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { optionalPastedText, optionalText, timestamp } from '../shapes.ts';

export const sendOtp = endpoint({
  method: 'POST',
  path: '/api/otp/send',
  access: 'public',
  summary:
    'Send a one-time code to a phone. `code` is OTP_VERIFIED when this caller needs none for this phone, else OTP_SENT',
  body: z.object({
    phoneNumber: optionalPastedText(64),
    /** Token of an earlier code that may prove this phone. */
    otpToken: optionalText(128),
  }),
  replies: {
    200: z.object({
      otpRef: z.string(),
      otpToken: z.string(),
      code: z.enum(['OTP_SENT', 'OTP_VERIFIED']),
      expiresAt: timestamp.nullable(),
    }),
  },
  errors: [
    'PHONE_NUMBER_REQUIRE_10_DIGIT',
    'INVALID_USER_INFO',
    'OTP_SEND_FAIL',
    'OTP_BLOCK',
    'REQUEST_LIMIT_1MIN',
    'INVALID_IP',
  ],
  malformed: 'PHONE_NUMBER_REQUIRE_10_DIGIT',
});

export const verifyOtp = endpoint({
  method: 'POST',
  path: '/api/otp/verify',
  access: 'public',
  summary: 'Prove the phone with the code that it received',
  body: z.object({
    otpToken: optionalText(128),
    otpCode: optionalPastedText(16),
    /** true: the proof is valid only with this otpToken; false: also for the caller's whole network. */
    tokenOnly: z.boolean().default(false),
  }),
  replies: { 200: z.object({ message: z.literal('OK'), verifiedUntil: timestamp }) },
  errors: [
    'OTP_TOKEN_INVALID',
    'OTP_NOT_EXIST',
    'OTP_VERIFIED',
    'OTP_EXPIRED',
    'OTP_CODE_INVALID',
    'OTP_BLOCK',
    'OTP_VERIFY_FAIL',
  ],
  malformed: 'OTP_TOKEN_INVALID',
});
