// Preloaded into every process of a planner (NODE_OPTIONS=--import): shifts its clock by SKEW_MS.
// The database has its own clock.
const skew = Number(process.env.SKEW_MS);
const RealDate = globalThis.Date;
globalThis.Date = class Date extends RealDate {
  constructor(...words) {
    super(...(words.length === 0 ? [now()] : words));
  }
  static now() {
    return now();
  }
};

function now() {
  return RealDate.now() + skew;
}
