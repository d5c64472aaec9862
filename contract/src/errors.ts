/**
 * Codes of failed calls (`message`) with their HTTP status. A code without a phrase in all three languages does not
 * compile (see `phrases`).
 */
export const errorStatus = {
  // The session
  'invalid-token': 401,
  gone: 410,
  UNAUTHORIZED: 401,
  EXPIRED_AUTH_TOKEN: 401,
  INVALID_USER_1: 401,
  INVALID_USER_2: 401,
  INVALID_USER_3: 403,
  INVALID_USER_4: 403,
  INVALID_IP: 403,
  NO_USER: 404,
  WRONG_PASSWORD: 400,
  WRONG_CREDENTIAL: 401,
  INACTIVE_USER: 403,
  LOGIN_FAIL: 500,
  // Limits
  OTP_BLOCK: 429,
  REQUEST_LIMIT: 429,
  REQUEST_LIMIT_1MIN: 429,
  // One-time codes
  OTP_TOKEN_INVALID: 400,
  OTP_NOT_EXIST: 404,
  OTP_VERIFIED: 409,
  OTP_EXPIRED: 400,
  OTP_CODE_INVALID: 400,
  OTP_SEND_FAIL: 502,
  OTP_VERIFY_FAIL: 500,
  UNVERIFIED_OTP: 403,
  // Registration
  EXISTING_USER: 409,
  EXISTING_BANK: 409,
  INVALID_USER_INFO: 400,
  INVALID_BANK: 400,
  BANK_ACCOUNT_NAME_ENG: 400,
  REGISTER_FAIL: 500,
  PHONE_NUMBER_REQUIRE_10_DIGIT: 400,
  // Bonus and promotion
  BONUS_REMAINING: 409,
  BONUS_ALREADY_ACTIVE: 409,
  BONUS_MAX_CLAIMED: 409,
  BONUS_CONDITION: 409,
  BONUS_FULL: 409,
  NO_PROMOTION: 404,
  PROMOTION_RECEIVED: 409,
  // Invite
  INVITE_INACTIVE: 403,
  NO_INVITE_BONUS: 404,
  NO_INVITEE_PLAY_INFO: 409,
  INVITE_BONUS_FAIL: 500,
  // Refund
  NO_REFUND: 404,
  REFUND_CONDITION: 409,
  REFUND_INACTIVE: 403,
  REFUND_MINIMUM: 400,
  // Wallet and games
  NO_BANK: 400,
  NO_WALLET: 404,
  SLOT_ALREADY_ACTIVE: 409,
  SLOT_ACTIVATE_FAIL: 502,
  SLOT_NO_ACCOUNT: 404,
  SLOT_RESET_PASSWORD_FAIL: 502,
  GAME_ACTIVATION_FAIL: 503,
  TRANSFER_MINIMUM: 400,
  MONEY_NOT_ENOUGH: 400,
  TRANSFER_FAIL: 502,
  NO_GAME: 404,
  // Deposit
  QR_FAIL: 400,
  SLIP_UPLOAD_FAIL: 503,
  SLIP_NO_FILE: 400,
  SLIP_INVALID_FILE: 400,
  TRUELINK_DUPLICATE: 409,
  TRUELINK_INVALID: 400,
  // General
  INTERNAL_SERVER_ERROR: 500,
  KEY_MISSING: 403,
  KEY_INVALID: 403,
  NO_DATA: 404,
  // Coupons
  NO_CLAIMABLE_COUPON: 409,
  INVALID_PRIZE_CODE: 409,
  INVALID_CODE: 400,
  INVALID_COUPON_TYPE: 409,
  COUPON_EXPIRED: 410,
} as const;

/** A code of the error catalogue. */
export type ErrorCode = keyof typeof errorStatus;

export const errorCodes = Object.keys(errorStatus) as readonly ErrorCode[];

/** Whether a string is a known code. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorStatus, text);

/**
 * Body of a failed call. `detail` is more precise than the code (machine-readable, UPPER_CASE or a field path). `unmet`
 * lists all unmet requirements of an offer; the first is `message`. `requestId` comes with INTERNAL_SERVER_ERROR, so
 * that support can find the failure. `reference` is the key of the refused movement, if it was stored.
 */
export type Failure = {
  message: ErrorCode;
  detail?: string;
  requestId?: string;
  unmet?: readonly Unmet[];
  reference?: string;
};

/** An unmet requirement: code and detail of its refusal. */
export type Unmet = { code: ErrorCode; detail?: string };
