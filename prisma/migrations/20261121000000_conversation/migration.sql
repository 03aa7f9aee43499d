-- The records of the conversation: asks, offers, reservations, jobs.

CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TYPE "session_state" AS ENUM ('OFFERED', 'REJECTED', 'EXPIRED', 'ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING', 'COMPLETED', 'FAILED', 'CANCELLED');
CREATE TYPE "reservation_state" AS ENUM ('HELD', 'FIRM', 'RELEASED', 'LAPSED');
CREATE TYPE "start_mode" AS ENUM ('AUTO', 'CLIENT');

CREATE TABLE "destination" (
    "id" TEXT NOT NULL,
    "cores" INTEGER NOT NULL CHECK ("cores" >= 0),
    "memory_mib" BIGINT NOT NULL CHECK ("memory_mib" >= 0),
    "scratch_mib" BIGINT NOT NULL CHECK ("scratch_mib" >= 0),
    "gpus" JSONB NOT NULL,
    "open" BOOLEAN NOT NULL DEFAULT true,
    CONSTRAINT "destination_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "ask" (
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "result" TEXT NOT NULL CHECK ("result" IN ('YES', 'NO')),
    "description" JSONB NOT NULL,
    "inputs" JSONB NOT NULL,
    "rules_digest" TEXT NOT NULL,
    "trace" JSONB NOT NULL,
    "reasons" JSONB NOT NULL,
    CONSTRAINT "ask_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "ask_created_at_idx" ON "ask" ("created_at");

CREATE TABLE "offer" (
    "id" UUID NOT NULL,
    "ask_id" UUID NOT NULL,
    "place" SMALLINT NOT NULL,
    "owner" TEXT NOT NULL,
    "state" "session_state" NOT NULL DEFAULT 'OFFERED',
    "destination_id" TEXT NOT NULL,
    "runner" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "decided_at" TIMESTAMPTZ(6),
    "promise" JSONB NOT NULL,
    "cores" INTEGER NOT NULL CHECK ("cores" >= 0),
    "memory_mib" BIGINT NOT NULL CHECK ("memory_mib" >= 0),
    "scratch_mib" BIGINT NOT NULL CHECK ("scratch_mib" >= 0),
    "gpu_type" TEXT,
    "gpus" INTEGER NOT NULL DEFAULT 0 CHECK ("gpus" >= 0),
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "duration_s" INTEGER NOT NULL CHECK ("duration_s" > 0),
    "start_window_s" INTEGER NOT NULL CHECK ("start_window_s" >= 0),
    "release_s" INTEGER NOT NULL CHECK ("release_s" >= 0),
    CONSTRAINT "offer_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "offer_ask_id_fkey" FOREIGN KEY ("ask_id") REFERENCES "ask" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "offer_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destination" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "offer_ask_id_idx" ON "offer" ("ask_id");
-- Never two winners: the second line of defence behind the lock in accept_offer (rule R6).
CREATE UNIQUE INDEX "offer_one_winner" ON "offer" ("ask_id") WHERE "state" NOT IN ('OFFERED', 'REJECTED', 'EXPIRED');

CREATE TABLE "reservation" (
    "id" BIGSERIAL NOT NULL,
    "ask_id" UUID NOT NULL,
    "offer_id" UUID,
    "destination_id" TEXT NOT NULL,
    "state" "reservation_state" NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "ends_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6),
    "cores" INTEGER NOT NULL CHECK ("cores" >= 0),
    "memory_mib" BIGINT NOT NULL CHECK ("memory_mib" >= 0),
    "scratch_mib" BIGINT NOT NULL CHECK ("scratch_mib" >= 0),
    "gpu_type" TEXT,
    "gpus" INTEGER NOT NULL DEFAULT 0 CHECK ("gpus" >= 0),
    CONSTRAINT "reservation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "reservation_interval" CHECK ("starts_at" <= "ends_at"),
    CONSTRAINT "reservation_held_expires" CHECK ("state" <> 'HELD' OR "expires_at" IS NOT NULL),
    CONSTRAINT "reservation_firm_is_an_offer" CHECK ("state" <> 'FIRM' OR "offer_id" IS NOT NULL),
    CONSTRAINT "reservation_ask_id_fkey" FOREIGN KEY ("ask_id") REFERENCES "ask" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "reservation_offer_id_fkey" FOREIGN KEY ("offer_id") REFERENCES "offer" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "reservation_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destination" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "reservation_ask_id_idx" ON "reservation" ("ask_id");
CREATE INDEX "reservation_offer_id_idx" ON "reservation" ("offer_id");
-- Only what counts is indexed, so that millions of past reservations cost nothing.
CREATE INDEX "reservation_live" ON "reservation" USING gist ("destination_id", tstzrange("starts_at", "ends_at")) WHERE "state" IN ('HELD', 'FIRM');
CREATE INDEX "reservation_held_until" ON "reservation" ("expires_at") WHERE "state" = 'HELD';

CREATE TABLE "job" (
    "id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "run_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "start_mode" "start_mode" NOT NULL,
    "start_before" TIMESTAMPTZ(6) NOT NULL,
    "started_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "execution_s" INTEGER NOT NULL CHECK ("execution_s" > 0),
    "destruction_at" TIMESTAMPTZ(6) NOT NULL,
    "archived_at" TIMESTAMPTZ(6),
    "destroyed_at" TIMESTAMPTZ(6),
    "abort_at" TIMESTAMPTZ(6),
    "error" JSONB,
    "executor" TEXT,
    "host" TEXT,
    "lease_until" TIMESTAMPTZ(6),
    "nudged_at" TIMESTAMPTZ(6),
    "attempt" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "job_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "job_id_fkey" FOREIGN KEY ("id") REFERENCES "offer" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "job_owner_created_at_idx" ON "job" ("owner", "created_at" DESC);
CREATE INDEX "job_unended" ON "job" ("lease_until") WHERE "ended_at" IS NULL;
CREATE INDEX "job_destruction" ON "job" ("destruction_at") WHERE "archived_at" IS NULL;

CREATE TABLE "job_result" (
    "job_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "place" SMALLINT NOT NULL,
    "path" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    CONSTRAINT "job_result_pkey" PRIMARY KEY ("job_id", "id"),
    CONSTRAINT "job_result_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The one table of allowed transitions; src/planner/states.ts is the same table for the program, a test compares them.
CREATE TABLE "session_transition" (
    "from_state" "session_state" NOT NULL,
    "to_state" "session_state" NOT NULL,
    PRIMARY KEY ("from_state", "to_state")
);
INSERT INTO "session_transition" VALUES
    ('OFFERED', 'ACCEPTED'), ('OFFERED', 'REJECTED'), ('OFFERED', 'EXPIRED'),
    ('ACCEPTED', 'WAITING'), ('ACCEPTED', 'PREPARING'), ('ACCEPTED', 'FAILED'), ('ACCEPTED', 'CANCELLED'),
    ('WAITING', 'PREPARING'), ('WAITING', 'FAILED'), ('WAITING', 'CANCELLED'),
    ('PREPARING', 'AVAILABLE'), ('PREPARING', 'RUNNING'), ('PREPARING', 'RELEASING'), ('PREPARING', 'FAILED'), ('PREPARING', 'CANCELLED'),
    ('AVAILABLE', 'RUNNING'), ('AVAILABLE', 'RELEASING'), ('AVAILABLE', 'FAILED'), ('AVAILABLE', 'CANCELLED'),
    ('RUNNING', 'RELEASING'), ('RUNNING', 'FAILED'), ('RUNNING', 'CANCELLED'),
    ('RELEASING', 'COMPLETED'), ('RELEASING', 'FAILED'), ('RELEASING', 'CANCELLED');

CREATE FUNCTION "guard_session_transition"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM session_transition t WHERE t.from_state = OLD.state AND t.to_state = NEW.state) THEN
        RAISE EXCEPTION 'session % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'session_transition';
    END IF;
    -- Every process that answers WAIT listens here.
    IF NEW.state NOT IN ('REJECTED', 'EXPIRED') THEN
        PERFORM pg_notify('session', NEW.id || ' ' || NEW.state);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER "offer_state" BEFORE UPDATE OF "state" ON "offer"
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION "guard_session_transition"();
