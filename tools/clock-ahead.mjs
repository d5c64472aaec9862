// Loaded before a system that is to live in the future: `NODE_OPTIONS='--import …/clock-ahead.mjs' CLOCK_AHEAD_MS=…`. Its
// programs see a later time than the database, in whose books what happens now is then a thing of the past.
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
