-- Who changed what, when and from where: one row for each request that changed something, or was refused to. Asks are not
-- among them: their own records have who and when.
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    request_id uuid NOT NULL,
    owner text NOT NULL,
    administrator boolean NOT NULL,
    address text NOT NULL,
    action text NOT NULL,
    status smallint NOT NULL
);
CREATE INDEX audit_at ON audit (at);
