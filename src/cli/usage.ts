const JOB = `  --tool ID              the tool; without it, _default_
  --user EMAIL           who asks; nobody without it
  --roles ROLE...        the user's roles, every word up to the next option
  --history-tags TAG...  tags of the history, every word up to the next option
  --input-size GB        the size of the inputs, a whole number`;

const JOB_CONF = '  --job-conf FILE        a job configuration of Galaxy, which names rule files when none are given';

/** What `--help` tells of each command on rule files. */
export const USAGE = {
  lint: `usage: planner lint [OPTION...] FILE...
Checks rule files, merged in this order. Ends with 1 for errors; warnings are told from -v on.
  -v, -vv, -vvv          tell more
  --ignore CODE,...      codes not to tell
  --format FORMAT        text, json or sarif; text without it
  --preserve-temp-code   accepted, as TPV has it, and without effect
`,
  format: `usage: planner format FILE
Prints a rule file in TPV's order.
`,
  dump: `usage: planner dump [OPTION...] FILE...
Prints several rule files as one.
  -v, -vv, -vvv          tell more
${JOB_CONF}
  --output-format FORMAT text or yaml; text without it
`,
  'dry-run': `usage: planner dry-run [OPTION...] FILE...
Tells where a job would go, as Galaxy's JobDestination. Ends with 1 when it goes nowhere.
What rules log and print comes before it.
  -v, -vv, -vvv          tell more of what is logged: warnings, information, all
${JOB_CONF}
${JOB}
  --explain              tell how it was decided, on standard error; ends with 0 in any case
  --output-format FORMAT of what --explain tells: text, yaml or json; text without it
  --strict               a destination that gives up leaves its changes to the next, as in TPV
`,
  'why-not': `usage: planner why-not --destination ID [OPTION...] FILE...
Tells every reason why a job does not go to a destination.
  --destination ID       the destination
${JOB}
`,
  diff: `usage: planner diff OLD NEW --jobs FILE
Tells which recorded jobs go elsewhere under changed rules. Ends with 1 when any does.
OLD and NEW are rule files, several with commas between them.
  --jobs FILE            the jobs: one description in JSON a line
`,
} as const;
