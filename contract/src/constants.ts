/** Business constants and limits of server and app. Times are in ms unless the name says otherwise. */
export const APP_VERSION = '1.1.14';

export const REQUEST_TIMEOUT_MS = 60_000;
export const UPLOAD_TIMEOUT_MS = 300_000;
export const AGREEMENT_DELAY_MS = 1_500;
export const REGISTERED_REDIRECT_MS = 2_000;

export const PHONE_DIGITS = 10;
export const PASSWORD_CHARACTERS_MIN = 8;
export const PASSWORD_CHARACTERS_MAX = 128;
export const NAME_CHARACTERS_MAX = 60;

export const PAGE_SIZE = 10;
export const PAGE_LIMIT_MAX = 100;

/** Smallest transfer, in whole baht (or kip). */
export const TRANSFER_MINIMUM = 1;
/** Most that one deposit may announce or ask for, in whole units, where the operator sets no maximum. */
export const DEPOSIT_MAXIMUM = { BAHT: 2_000_000, LAK: 1_000_000_000 } as const;
export const QUICK_AMOUNTS = {
  KBANK: [10, 20, 50, 100, 500, 1000],
  WW: [100, 200, 300, 500, 1000],
  PAYONEX: [100, 200, 300, 500, 1000],
  FP: [10, 50, 100, 500, 1000],
  /** In kip. */
  BCEL: [10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000],
} as const;
/** Smallest QR amount of a gateway, in whole baht, unless the operator sets another. */
export const GATEWAY_MINIMUM = { KBANK: 1, WW: 100, PAYONEX: 100, FP: 10 } as const;

/** Gateways whose codes are PromptPay: any bank app pays them, and members never read the gateway's own name. */
export const PROMPTPAY_GATEWAYS: readonly string[] = ['WW', 'FP', 'PAYONEX'];

/** Smallest amount that the wallet app sends, in whole baht. */
export const WALLET_APP_MINIMUM = 2;
/** The only host of gift links. */
export const GIFT_LINK_HOST = 'gift.truemoney.com';
/** Default secret with which the app encrypts gift links. Anyone can read it in the app, so it protects nothing. */
export const TRUELINK_SECRET_DEFAULT = 'krapao';

/** Maximum size of a slip image. */
export const SLIP_BYTES_MAX = 10 * 1024 * 1024;

/** Banks whose account names must be in English letters. */
export const ENGLISH_NAME_BANKS: readonly string[] = ['KTB', 'TMB', 'BBL'];

export const INVITE_PREFIX = 'PR';
export const CAROUSEL = { cards: 3, widthPx: 300, heightPx: 211 } as const;

/** Maximum length of game usernames and passwords (letters and digits), even where a provider allows more. */
export const GAME_CREDENTIAL_CHARACTERS_MAX = 16;

export const CHAT_TEXT_CHARACTERS_MAX = 2_000;
export const CHAT_PAGE_SIZE = 10;
/** Maximum messages per reply; a client that was offline requests several pages concurrently. */
export const CHAT_HISTORY_MAX = 100;
const MEGABYTE = 1024 * 1024;
export const CHAT_FILE_BYTES_MAX = { image: 10 * MEGABYTE, video: 20 * MEGABYTE } as const;
/** Extensions of allowed attachments, by kind of file. */
export const CHAT_EXTENSIONS = {
  image: ['png', 'jpeg', 'jpg', 'jfif', 'gif', 'webp'],
  video: ['mp4', 'mov', 'quicktime'],
} as const;
/** Reconnect interval of the chat's socket. */
export const CHAT_RECONNECT_MS = 5_000;
/** Reconnect settings of a chat backend's own socket, which never stops retrying. */
export const CHAT_BACKEND_RECONNECT_MS = 500;
export const CHAT_READ_DEBOUNCE_MS = 1_000;
/** Distance from the newest message above which the chat shows a button that jumps there. */
export const CHAT_SCROLL_THRESHOLD_PX = 60;

/** Header that marks a call as made by the app. A page of another site can't send it without a CORS preflight. */
export const MARKER_HEADER = 'x-requested-with';
export const MARKER_VALUE = 'XMLHttpRequest';
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/**
 * Cookie that selects the first page; set while this browser has a session. It proves nothing, because calls carry the
 * token.
 */
export const MEMBER_COOKIE = 'member';

/** Keys of the browser's storage. */
export const STORAGE = {
  token: 'token',
  locale: 'locale',
  rememberAgreement: 'remember-agreement',
  lastSync: 'last_sync',
  inviteCode: 'invite code',
  guestId: 'guest-id',
  /** Secret issued with the guest-id; both together authenticate the visitor. */
  guestSecret: 'guest-secret',
  /** End time of the newest ended condition that the member has seen. */
  endingsSeen: 'endings-seen',
  /** Days of use and refusals that decide when the installation is offered. */
  installOffer: 'install-offer',
  /** Last known balance with its time; beside the token, and deleted with it. */
  lastBalance: 'last-balance',
  /** Phone of the session's member; beside the token, and deleted with it. */
  phone: 'phone',
  /** Newest page of the statement with its time; beside the token, and deleted with it. */
  lastStatement: 'last-statement',
  /** Newest facts of the deposit methods; beside the token, and deleted with it. */
  depositFacts: 'deposit-facts',
  /** Local storage: prefix of the key of a session's opened games. Session storage of a game's tab: its launch. */
  launches: 'launches',
  /** Session storage: the open items when the page was last shown; deleted with the session. */
  openItems: 'open-items',
  /** Keys of the open items whose strip the member has collapsed; deleted with the session. */
  collapsedItems: 'collapsed-items',
  /** Member and choices of push messages to this browser; deleted with the session. */
  push: 'push',
  /** Set once the member has been asked about push messages on this device. */
  pushAsked: 'push-asked',
  /** Set while the member hides amounts on this device. */
  hideBalance: 'hide-balance',
  /** Theme that the member has chosen on this device; absent while the system decides. */
  theme: 'theme',
} as const;

/** The tutorials of `/howto`, in order. `howto.json` has their texts, `web/public/howto` their videos. */
export const tutorials = ['wallet', 'game', 'balance', 'receive', 'finish'] as const;
export type Tutorial = (typeof tutorials)[number];

/** Duration of each step in a video. */
export const SECONDS_PER_STEP = 3;
