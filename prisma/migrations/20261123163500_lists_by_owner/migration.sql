-- A page of an owner's jobs begins at (owner, created_at, id) and is read backwards. Only an index of one direction has that as
-- one place; with equality of the owner PostgreSQL may take the index of all jobs instead, and read those of everybody.
DROP INDEX "job_of_owner";
DROP INDEX "job_shown";
CREATE INDEX "job_of_owner" ON "job" ("owner", "created_at", "id");
CREATE INDEX "job_shown" ON "job" ("owner", "created_at", "id") WHERE "archived_at" IS NULL AND "destroyed_at" IS NULL;
