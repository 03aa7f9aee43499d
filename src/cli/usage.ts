const JOB = `  --tool ID              the tool; without it, _default_
  --user EMAIL           who asks; nobody without it
  --roles ROLE...        the user's roles, every word up to the next option
  --history-tags TAG...  tags of the history, every word up to the next option
  --input-size GB        the size of the inputs, a whole number
  --job-state STATE      what rules see as job.state, such as resubmitted; new without it`;

const JOB_CONF =
  '  --job-conf FILE        a job configuration of Galaxy, which names rule files when none are given';

/** The text of `--help` for each command. */
export const USAGE = {
  lint: `usage: planner lint [OPTION...] FILE...
Checks rule files, merged in this order. Ends with 1 for errors; prints warnings with -v.
  -v, -vv, -vvv          print more
  --ignore CODE,...      codes to leave out
  --format FORMAT        text, json or sarif; text without it
  --preserve-temp-code   an option of TPV, without effect

Examples:
  planner lint rules.yml
  planner lint -v --format sarif shared.yml site-rules.yml > findings.sarif
`,
  format: `usage: planner format FILE
Prints a rule file in TPV's order.

Example:
  planner format rules.yml > formatted.yml
`,
  dump: `usage: planner dump [OPTION...] FILE...
Prints several rule files as one.
  -v, -vv, -vvv          print more
${JOB_CONF}
  --output-format FORMAT text or yaml; text without it

Example:
  planner dump --output-format yaml shared.yml site-rules.yml
`,
  'dry-run': `usage: planner dry-run [OPTION...] FILE...
Prints where a job would go, as Galaxy's JobDestination. Ends with 1 if it goes nowhere.
The output of rules comes before it.
  -v, -vv, -vvv          print more of the log: warnings, information, all
${JOB_CONF}
${JOB}
  --explain              print how it was decided, on standard error; always ends with 0
  --output-format FORMAT of --explain: text, yaml or json; text without it
  --strict               a destination that gives up leaves its changes to the next, as in TPV

Example:
  planner dry-run --tool bwa --user ada@example.org --explain rules.yml
`,
  'why-not': `usage: planner why-not --destination ID [OPTION...] FILE...
Prints every reason why a job does not go to a destination.
  --destination ID       the destination
${JOB}

Example:
  planner why-not --destination big --tool bwa rules.yml
`,
  diff: `usage: planner diff OLD NEW --jobs FILE
Prints which recorded jobs go elsewhere under changed rules. Ends with 1 if any does.
OLD and NEW are rule files, several separated by commas.
  --jobs FILE            the jobs: one JSON description per line

Example:
  planner diff rules.yml rules-new.yml --jobs jobs.jsonl
`,
  serve: `usage: planner serve
Runs the service until SIGTERM or Ctrl-C. SIGHUP reloads what can be reloaded; a service with a
terminal ends instead.
Settings are environment variables; docs/reference/settings.md lists them.

Examples:
  planner serve
  SITE_FILE=site.yml PORT=8081 planner serve
`,
  check: `usage: planner check [SITE_FILE]
Checks the site file, its rule files and this machine like a start, and names what it could not check.
Without SITE_FILE, that of the environment. Ends with 1 if a start would fail.

Example:
  planner check /etc/planner/site.yml
`,
  demo: `usage: planner demo
Starts a service, asks it the question of the specification, and follows the job.
Ends with 1 if the job does not complete.

Example:
  planner demo
`,
  'hash-password': `usage: planner hash-password USER [ROLE...]
Prints a line of the password file. The password is read from the terminal or from standard input.
No colon and no # first in the user, no comma in a role.

Examples:
  planner hash-password ada@example.org survey >> users
  pass show planner/ada | planner hash-password ada@example.org
`,
  'new-plugin': `usage: planner new-plugin DIR
Writes a plug-in into DIR, which must not exist: an engine of the name of the folder, and its test.
It is JavaScript with types: 'npm run check' compiles it, 'npm test' checks the promises of engines.

Example:
  planner new-plugin plugins/my-cluster
`,
  setup: `usage: planner setup notebooks
Makes a Python environment below DATA_DIR with Jupyter, numpy, scipy, pandas, matplotlib, astropy and
pyvo, and prints the lines for a site file. It takes a few minutes; a call that was ended goes on.
It needs Python 3.9 or newer with venv, and the index of packages that pip has.

Example:
  planner setup notebooks
`,
  backup: `usage: planner backup FILE
Writes the database and the results of finished jobs into FILE, a compressed tar. The service may
run meanwhile. The database is that of the environment: DATABASE_URL, or the one in DATA_DIR.
FILE must not exist.

Example:
  planner backup planner-2026-11-22.tar.gz
`,
  restore: `usage: planner restore FILE
Fills an empty DATA_DIR, or the empty database of DATABASE_URL and an empty JOBS_DIR, with what 'planner backup' wrote.
Jobs that ran at the time of the backup end with run-lost; those that waited begin when the service starts.

Example:
  DATA_DIR=/srv/planner-restored planner restore planner-2026-11-22.tar.gz
`,
  completion: `usage: planner completion SHELL
Prints the completion of commands and options for a shell; SHELL is bash or zsh.

Examples:
  source <(planner completion bash)
  planner completion zsh > "\${fpath[1]}/_planner"
`,
} as const;

/** The names of all commands. */
export type CommandName = keyof typeof USAGE;
