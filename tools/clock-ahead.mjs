// Sets the clock of a system forward: `NODE_OPTIONS='--import …/clock-ahead.mjs' CLOCK_AHEAD_MS=…`. The database keeps the
// real time, so that its entries of now are in the past for the programs.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const Today = Date;

globalThis.Date = class Date extends Today {
  constructor(...parts) {
    if (parts.length === 0) super(Today.now() + aheadMs);
    else super(...parts);
  }
  static now() {
    return Today.now() + aheadMs;
  }
};
