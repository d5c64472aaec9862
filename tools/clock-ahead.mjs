// Sets the clock of a system forward: `NODE_OPTIONS='--import …/clock-ahead.mjs' CLOCK_AHEAD_MS=…`. The database keeps
// the real time, so its new entries are in the past for the programs.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...dateArgs) {
    if (dateArgs.length === 0) super(RealDate.now() + aheadMs);
    else super(...dateArgs);
  }
  static now() {
    return RealDate.now() + aheadMs;
  }
};
