/** The tutorials of `/howto`, in order: their texts are in `howto.json`, their videos in `web/public/howto`. */
export const tutorials = ['wallet', 'game', 'balance', 'receive', 'finish'] as const;
export type Tutorial = (typeof tutorials)[number];

/** How long a video stays on each of its steps. */
export const SECONDS_PER_STEP = 3;
