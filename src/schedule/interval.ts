/** Milliseconds since 1970-01-01T00:00Z, by the database's clock. */
export type Instant = number;

/** Half-open: `start` belongs to it, `end` does not. */
export type Interval = { readonly start: Instant; readonly end: Instant };

export const overlaps = (a: Interval, b: Interval): boolean => a.start < b.end && b.start < a.end;

export const contains = (outer: Interval, at: Instant): boolean => outer.start <= at && at < outer.end;
