/** Milliseconds since 1970-01-01T00:00Z, by the database's clock. */
export type Instant = number;

/** Half-open: `start` belongs to it, `end` does not. */
export type Interval = { readonly start: Instant; readonly end: Instant };

/** When something may start: both instants belong to it, so that one exact start can be said. */
export type StartRange = { readonly earliest: Instant; readonly latest: Instant };

export function containsInterval(outer: Interval, at: Instant): boolean {
  return outer.start <= at && at < outer.end;
}
