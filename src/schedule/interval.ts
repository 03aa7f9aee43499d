/** Milliseconds since 1970-01-01T00:00Z, by the database's clock. */
export type Instant = number;

/** Half-open: includes `start` but not `end`. */
export type Interval = { readonly start: Instant; readonly end: Instant };

/** The possible starts, including both instants, so that a range can be one exact start. */
export type StartRange = { readonly earliest: Instant; readonly latest: Instant };

export function containsInterval(outer: Interval, at: Instant): boolean {
  return outer.start <= at && at < outer.end;
}
