-- What the planner that started or reloaded last read of its site file and of the calendars it names: executors have it from
-- here. What these name besides (credentials, certificates, passwords) is not here; whoever needs it reads it where it is.
CREATE TABLE site_text (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    digest    text NOT NULL,
    -- path of the site file: paths in it are relative to its folder
    file      text NOT NULL,
    content   text NOT NULL,
    -- path -> text
    calendars jsonb NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp()
);
