-- A user who signed in with a browser. The browser holds a random name of 256 bits in a cookie; the row has only its
-- SHA-256, so that nobody who reads the database can act for its users.
CREATE TABLE sign_in (
    id uuid PRIMARY KEY,
    digest text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    roles text[] NOT NULL,
    -- password, token or oidc
    kind text NOT NULL,
    -- what the site's files must still have: digest of the password's line, digest of the token, or the issuer
    proof text NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    address text NOT NULL,
    agent text NOT NULL
);
CREATE UNIQUE INDEX sign_in_digest ON sign_in (digest);
CREATE INDEX sign_in_owner ON sign_in (owner, since);
CREATE INDEX sign_in_until ON sign_in (until);

-- Nobody can use an ended one, so it is removed at once.
CREATE FUNCTION purge_sign_ins(p_limit int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    gone int;
BEGIN
    IF NOT may_purge() THEN RETURN 0; END IF;
    DELETE FROM sign_in WHERE id IN (
        SELECT id FROM sign_in WHERE until < clock_timestamp() ORDER BY until LIMIT p_limit FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_purged('sign_ins', gone);
    RETURN gone;
END $$;
