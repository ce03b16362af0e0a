#!/bin/bash
# Installs the build this script lies in as a systemd service. May be run again: what is there already stays.
#
#   install.sh                      install or upgrade; when the new version does not start, the old one comes back
#   install.sh --rollback [--anyway]   go back to the version before; once more goes forth again. Says what to do first
#                                   when the database is too new for that version; --anyway goes back all the same
#   install.sh --uninstall [--purge]   remove the service; with --purge its data, keys and settings as well
#
# Versions lie side by side in /opt/robot-rest/releases; `current` and `previous` are links that are turned at once.
# With DESTDIR everything is put below that folder, and nothing is started: for images and packages.
set -euo pipefail
umask 022

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=$(dirname "$here")
root=${DESTDIR-}
home=$root/opt/robot-rest
unit=robot-rest.service
changed=no

main() {
  [ -n "$root" ] || [ "$(id -u)" -eq 0 ] || die 'Run this as root.'
  case "${1-}" in
    '')
      lock
      install_build
      ;;
    --rollback)
      lock
      roll_back "${2-}"
      ;;
    --uninstall) uninstall "${2-}" ;;
    *) die "There is no option $1. The head of $0 has them all." ;;
  esac
}

install_build() {
  local id now before
  id=$(cat "$build/build-id" 2>/dev/null) || die "$build is no build of the service: run npm run build, and this in dist/current/deploy."
  now=$(readlink "$home/current" || true)
  before=$(readlink "$home/previous" || true)
  trap 'rm -rf "$home/releases/.incoming"' EXIT
  add_release "$id"
  turn_to "releases/$id"
  install_files
  if ! start_service; then
    [ -n "$now" ] && [ "$now" != "releases/$id" ] || die 'The service did not start; journalctl -u robot-rest says why.'
    echo 'The new version did not start; the old one comes back.' >&2
    fits_data "$now" "releases/$id" || tell_way_back "$now"
    point current "$now"
    if [ -n "$before" ]; then point previous "$before"; else rm -f "$home/previous"; fi
    install_files
    start_service || true
    rm -rf "$home/releases/$id"
    die 'The version before runs again. journalctl -u robot-rest says why the new one did not.'
  fi
  prune
  echo "Installed: $id"
}

roll_back() {
  local before
  before=$(readlink "$home/previous") || die 'There is no version before this one.'
  if ! fits_data "$before" "$(readlink "$home/current")"; then
    tell_way_back "$before"
    [ "$1" = --anyway ] || die "Nothing was changed. To go back without the database, or once that is done: $0 --rollback --anyway"
  fi
  turn_to "$before"
  install_files
  start_service || die 'The version before did not start either; journalctl -u robot-rest says why.'
  echo "Now current: ${before#releases/}"
}

# Whether the first of two releases can use the database that the second has had. A release before the third schema does
# not say which one it knows.
schema_of() {
  cat "$home/$1/deploy/database-schema" 2>/dev/null || echo 1
}
fits_data() {
  [ "$(schema_of "$1")" -ge "$(schema_of "$2")" ]
}

# What an older release needs of the data, before it runs. A snapshot is written before each change of the schema.
tell_way_back() {
  local knows data file snapshot version fitting=
  knows=$(schema_of "$1")
  data=$root$(setting SERVICE_DATA_DIR /var/lib/robot-rest)
  file=$(setting SERVICE_DATABASE_URL '')
  file=${file:+$root${file#sqlite:///}}
  file=${file:-$data/robot.sqlite}
  echo "The database may have a newer schema than ${1#releases/} knows ($knows). Then that release leaves it as it is, and"
  echo 'every route of the database answers 503 until an older snapshot takes its place:'
  for snapshot in "$data"/backups/snapshot-*.sqlite; do
    [ -f "$snapshot" ] || continue
    version=$(od -An -tu4 --endian=big -j60 -N4 "$snapshot" | tr -d ' ')
    echo "  ${snapshot##*/} (schema $version)"
    [ "${version:-0}" -lt 1 ] || [ "$version" -gt "$knows" ] || fitting=$snapshot
  done
  if [ -z "$fitting" ]; then
    echo 'There is no snapshot of a schema that it knows.'
    return
  fi
  echo 'To go back to the newest that fits, and lose what was written to the database since:'
  echo '  systemctl stop robot-rest'
  echo "  mkdir -p '$data/newer' && mv '$file'* '$data/newer/'"
  echo "  install -m 0600 -o robot-rest -g robot-rest '$fitting' '$file'"
} >&2

# A setting of the installed service: the operator's, the build's, or the one given.
setting() {
  local found
  found=$(cat "$home/current/deploy/service.env" "$root/etc/robot-rest/robot-rest.env" 2>/dev/null |
    sed -n "s/^$1=//p" | tail -n 1 | tr -d "\"'")
  echo "${found:-$2}"
}

# Copies the build beside the others. Whatever happens, a folder in releases/ is whole.
add_release() {
  local release=$home/releases/$1 incoming=$home/releases/.incoming
  [ -d "$release" ] && return
  rm -rf "$incoming"
  mkdir -p "$incoming"
  cp -R "$build/." "$incoming"
  chmod -R u=rwX,go=rX "$incoming"
  [ "$(id -u)" -ne 0 ] || chown -R root:root "$incoming"
  check "$incoming"
  sync -f "$incoming"
  mv -T "$incoming" "$release"
}

# The native module tells whether the build fits this machine and its Node.js.
check() {
  command -v node >/dev/null || die 'Node.js is not installed where systemd finds it (/usr/bin or /usr/local/bin).'
  (cd "$1" && node --input-type=module --eval '
    const [major, minor] = process.versions.node.split(".").map(Number);
    if (major < 20 || (major === 20 && minor < 19)) throw new Error(`Node.js ${process.version} is too old; 20.19 is needed`);
    const { default: Database } = await import("better-sqlite3");
    new Database(":memory:").close();
  ') || die 'This build does not run here: it was made for another processor or another major version of Node.js.'
}

turn_to() {
  local now
  now=$(readlink "$home/current" || true)
  [ "$now" != "$1" ] || return 0
  [ -z "$now" ] || point previous "$now"
  point current "$1"
  changed=yes
}

point() {
  ln -sfn "$2" "$home/.$1"
  mv -T "$home/.$1" "$home/$1"
}

# What the rest of the system has to know, from the very version that is current.
install_files() {
  local from=$home/current/deploy etc=$root/etc
  put 0644 "$from/$unit" "$etc/systemd/system/$unit"
  put 0644 "$from/sysusers.conf" "$etc/sysusers.d/robot-rest.conf"
  put 0644 "$from/tmpfiles.conf" "$etc/tmpfiles.d/robot-rest.conf"
  put 0644 "$from/polkit/50-robot-rest.rules" "$etc/polkit-1/rules.d/50-robot-rest.rules"
  if [ -d "$etc/polkit-1/localauthority" ]; then
    put 0644 "$from/polkit/robot-rest.pkla" "$etc/polkit-1/localauthority/50-local.d/robot-rest.pkla"
  fi
  put 0755 "$from/robot-rest-admin" "$root/usr/local/sbin/robot-rest-admin"
  # Settings are the operator's: written once, never again.
  [ -e "$etc/robot-rest/robot-rest.env" ] || put 0640 "$from/robot-rest.env" "$etc/robot-rest/robot-rest.env"
}

put() {
  cmp -s "$2" "$3" && return
  install -D -m "$1" "$2" "$3.new"
  mv -T "$3.new" "$3"
  changed=yes
}

# Succeeds when the service has said that it is ready.
start_service() {
  local how=start
  [ -z "$root" ] || return 0
  [ "$changed" = no ] || how=restart
  systemd-sysusers /etc/sysusers.d/robot-rest.conf &&
    systemd-tmpfiles --create /etc/tmpfiles.d/robot-rest.conf &&
    systemctl daemon-reload &&
    systemctl enable --quiet "$unit" &&
    systemctl "$how" "$unit"
}

# Keeps the current version and the one before.
prune() {
  local release name
  for release in "$home"/releases/*; do
    name=releases/${release##*/}
    [ "$name" = "$(readlink "$home/current")" ] || [ "$name" = "$(readlink "$home/previous")" ] || rm -rf "$release"
  done
}

uninstall() {
  [ -n "$root" ] || systemctl disable --now --quiet "$unit" 2>/dev/null || true
  rm -rf "$home"
  rm -f "$root/etc/systemd/system/$unit" "$root/etc/sysusers.d/robot-rest.conf" "$root/etc/tmpfiles.d/robot-rest.conf" \
    "$root/etc/polkit-1/rules.d/50-robot-rest.rules" "$root/etc/polkit-1/localauthority/50-local.d/robot-rest.pkla" \
    "$root/usr/local/sbin/robot-rest-admin"
  if [ -z "$root" ]; then
    rm -f /tmp/rest_api.sock
    systemctl daemon-reload
  fi
  if [ "$1" = --purge ]; then
    rm -rf "$root/var/lib/robot-rest" "$root/etc/robot-rest"
    echo 'Removed, with all data. The user robot-rest stays, so that its number is not given to another.'
  else
    echo 'Removed. Data stay in /var/lib/robot-rest, settings in /etc/robot-rest.'
  fi
}

lock() {
  mkdir -p "$home/releases"
  exec 9>"$home/.lock"
  flock --nonblock 9 || die 'Another installation is under way.'
}

die() {
  echo "$1" >&2
  exit 1
}

main "$@"
