#!/usr/bin/env bash
# test/bare.sh [COMMAND...]: runs a command, by default `npm test`, as on a fresh machine with
# Debian's required packages, Node and npm. A mount namespace of the command hides every other
# program and the recordings next to the project. It needs root; BARE_USER=NAME runs the command as
# another user.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --hidden ]; then
  [ "$(id -u)" = 0 ] || { echo "test/bare.sh needs root: it hides programs in a mount namespace" >&2; exit 2; }
  exec unshare --mount --propagation private "$BASH" "$0" --hidden "$@"
fi
shift
[ $# -gt 0 ] || set -- npm test

keep=$(mktemp)
{
  dpkg-query -Wf '${Package} ${Priority} ${Essential}\n' | awk '$2 == "required" || $3 == "yes" { print $1 }' |
    xargs dpkg -L | grep -E '^(/usr)?/s?bin/' | xargs -n 100 basename -a
  printf '%s\n' node nodejs npm npx corepack awk
} | sort -u > "$keep"

layers=$(mktemp -d)
mount -t tmpfs hidden "$layers"
for folder in /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin; do
  name=${folder//\//-}
  mkdir "$layers/$name" "$layers/$name.work"
  # A file that is removed from an overlay stays in the folder below it.
  mount -t overlay hidden -o "lowerdir=$folder,upperdir=$layers/$name,workdir=$layers/$name.work" "$folder"
done
[ ! -d ../shared ] || mount -t tmpfs hidden ../shared
node=$(dirname "$(readlink -f "$(command -v node)")")
# The last commands that need programs which are about to be hidden; `rm` stays.
hidden=$(find /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin ! -type d -printf '%f\t%p\n' | sort | join -t "$(printf '\t')" -v 1 - "$keep" | cut -f 2)
printf '%s\n' "$hidden" | xargs -d '\n' rm -f
rm -f "$keep"
umount --lazy "$layers" && rmdir "$layers"
echo "hidden: $(printf '%s\n' "$hidden" | wc -l) programs" >&2

export PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:$node"
unset CURL_CA_BUNDLE
[ -z "${BARE_USER:-}" ] || set -- setpriv --reuid "$BARE_USER" --regid "$(id -g "$BARE_USER")" --init-groups --reset-env "$@"
exec "$@"
