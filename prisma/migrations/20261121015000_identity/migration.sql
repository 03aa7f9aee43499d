-- The name by which an issuer's user was known last, for people who read whose an offer or a job is. Nothing is decided
-- by it: owners are issuer and subject. Users whom the site's own files name are not here.
CREATE TABLE identity (
    owner text PRIMARY KEY,
    name text NOT NULL,
    seen_at timestamptz(6) NOT NULL DEFAULT now()
);
CREATE INDEX identity_name_idx ON identity (name);
