-- Destinations that administrators drain: no new offers for a time, told like maintenance. The audit trail says why something changed.

CREATE TABLE "drain" (
    "destination_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "ends_at" TIMESTAMPTZ(6),
    "owner" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "drain_pkey" PRIMARY KEY ("destination_id"),
    CONSTRAINT "drain_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destination" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "drain_ends" CHECK ("ends_at" > "starts_at")
);

ALTER TABLE "audit" ADD COLUMN "why" TEXT;

-- Metrics read the jobs that began and ended since the last scrape.
CREATE INDEX "job_started" ON "job" ("started_at") WHERE "started_at" IS NOT NULL;
CREATE INDEX "job_ended" ON "job" ("ended_at") WHERE "ended_at" IS NOT NULL;
