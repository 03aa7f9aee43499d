/** Where pods of a parallel job write to each other; one directory of the job. */
export const MEETING = '/planner/machines';

/** Said when the command of a parallel job would begin a second time. */
const AGAIN = 'the command has begun in a pod that is gone, and begins once';

/** Waits a moment, in whatever shell and tools an image has. */
const NAP = 'nap() { sleep 0.5 2> /dev/null || sleep 1; }';

/** Is one of the files there that a pattern stands for? */
const HAS = 'has() { for file in "$@"; do [ -e "$file" ] && return; done; return 1; }';

/**
 * What every pod of a parallel job runs, with the command of the task as its words. Each pod says
 * that it is there and runs what others call. The first one waits for all, runs the command, and
 * tells the others when it is over.
 *
 * NFS remembers for half a minute that a file is not there: only lists of a directory are fresh.
 */
export const MACHINE_SCRIPT = `#!/bin/sh
at=${MEETING}
${NAP}
${HAS}
are_all() { set -- "$at"/here/*; [ $# -ge "$MACHINE_COUNT" ]; }
answer() {
  /bin/sh "$1.taken" > "$1.out" 2> "$1.err" < /dev/null
  echo $? > "$1.code"
  mv "$1.code" "$1.end"
}
serve() {
  for call in "$at/$MACHINE_INDEX"/*.call; do
    [ -e "$call" ] || continue
    # The pod before this one may have taken it.
    mv "$call" "$call.taken" 2> /dev/null || continue
    answer "$call" &
  done
}

export MACHINE_INDEX="\${JOB_COMPLETION_INDEX:?the cluster gives this pod no number}"
: > "$at/here/$MACHINE_INDEX"
if [ "$MACHINE_INDEX" != 0 ]; then
  until has "$at"/over*; do serve; nap; done
  exit 0
fi
until are_all; do nap; done
mkdir "$at/begun" 2> /dev/null || { echo '${AGAIN}' >&2; exit 1; }
while :; do serve; nap; done &
"$@"
code=$?
: > "$at/over"
exit $code
`;

/**
 * Runs a command on another machine of a parallel job, as \`ssh\` does: options, the host or its
 * number, words for a shell there. Its output comes when it has ended. Open MPI 4 leaves out what
 * comes after the first dot of a host.
 */
export const REACH_SCRIPT = `#!/bin/sh
at=${MEETING}
${NAP}
${HAS}
while [ "\${1#-}" != "\${1-}" ]; do shift; done
host=\${1-}
[ $# -gt 0 ] && shift
index=$host
case $index in '' | *[!0-9]*)
  hosts=",$MACHINE_HOSTS,"
  before=\${hosts%%"=\${host%%.*}"[.,]*}
  [ "$before" = "$hosts" ] && before=none
  index=\${before##*,} ;;
esac
[ -d "$at/$index" ] || { echo "$host is no machine of this job" >&2; exit 255; }
call=$at/$index/$MACHINE_INDEX-$$.call
rm -f "$call".*
printf '%s\\n' "$*" > "$call.new"
mv "$call.new" "$call"
until has "$call".end*; do nap; done
cat "$call.out"
cat "$call.err" >&2
read -r code < "$call.end"
rm -f "$call".*
exit "$code"
`;
