#!/bin/bash
# Installs the build that contains this script as a systemd service. Idempotent: what is already in place is left alone.
#
#   install.sh                         install or upgrade; if the new version does not start, restore the old one
#   install.sh --rollback [--anyway]   return to the previous version; running it twice returns to this one. If the
#                                      database may be too new for that version, change nothing and explain what to do
#                                      first; --anyway rolls back regardless
#   install.sh --uninstall [--purge]   remove the service; with --purge also its data, keys and settings
#
# Versions are kept side by side in /opt/robot-rest/releases; `current` and `previous` are links that are switched
# atomically. With DESTDIR everything is installed below that folder and nothing is started, for images and packages.
set -euo pipefail
umask 022

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=$(dirname "$here")
root=${DESTDIR-}
home=$root/opt/robot-rest
unit=robot-rest.service
guard=robot-rest-guard.service
# Units of runs of skills, which the service starts.
skill_units=(robot-skill@.service robot-skill-tmp@.service)
changed=no

main() {
  case "${1-}" in
    -h | --help)
      sed -n '2,/^set /{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      return
      ;;
    --version)
      cat "$build/build-id"
      return
      ;;
  esac
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
    *) die "Unknown option $1. The comment at the top of $0 lists all options." ;;
  esac
}

install_build() {
  local id now before restored=yes
  id=$(cat "$build/build-id" 2>/dev/null) || die "$build is not a build of the service: run npm run build, then dist/current/deploy/install.sh."
  now=$(readlink "$home/current" || true)
  before=$(readlink "$home/previous" || true)
  trap 'rm -rf "$home/releases/.incoming"' EXIT
  add_release "$id"
  switch_to "releases/$id"
  install_files
  if ! start_service; then
    [ -n "$now" ] && [ "$now" != "releases/$id" ] || die 'The service did not start; see journalctl -u robot-rest.'
    echo 'The new version did not start; restoring the old one.' >&2
    fits_data "$now" "releases/$id" || explain_way_back "$now"
    point current "$now"
    if [ -n "$before" ]; then point previous "$before"; else rm -f "$home/previous"; fi
    install_files
    start_service || restored=no
    rm -rf "$home/releases/$id"
    [ "$restored" = yes ] || die 'The old version was restored, but it did not start either; see journalctl -u robot-rest.'
    die 'The old version is running again. See journalctl -u robot-rest for why the new one did not start.'
  fi
  prune
  echo "Installed: $id"
  show_certificate
}

# What to compare with what a browser shows. An image gets no certificate: each robot makes its own when it first starts.
show_certificate() {
  [ -z "$root" ] || return 0
  "$root/usr/local/sbin/robot-rest-admin" certificate ||
    echo 'The service works without TLS; robot-rest-admin certificate shows the fingerprint once there is a certificate.' >&2
}

roll_back() {
  local before
  before=$(readlink "$home/previous") || die 'There is no previous version.'
  if ! fits_data "$before" "$(readlink "$home/current")"; then
    explain_way_back "$before"
    [ "$1" = --anyway ] || die "Nothing was changed. Once that is done, or to leave the database as it is: $0 --rollback --anyway"
  fi
  switch_to "$before"
  install_files
  start_service || die 'The previous version did not start; see journalctl -u robot-rest.'
  echo "Now current: ${before#releases/}"
}

# Whether the first release can use a database that the second has used. Releases before schema 3 do not declare theirs.
schema_of() {
  cat "$home/$1/deploy/database-schema" 2>/dev/null || echo 1
}
fits_data() {
  [ "$(schema_of "$1")" -ge "$(schema_of "$2")" ]
}

# Explains what to do with the data before an older release can use it. Every schema change is preceded by a snapshot.
explain_way_back() {
  local knows data file snapshot version fitting=
  knows=$(schema_of "$1")
  data=$root$(setting SERVICE_DATA_DIR /var/lib/robot-rest)
  file=$(setting SERVICE_DATABASE_URL '')
  file=${file:+$root${file#sqlite:///}}
  file=${file:-$data/robot.sqlite}
  echo "The database may have a newer schema than ${1#releases/} supports ($knows). If so, that release will not touch it, and"
  echo 'all database routes return 503 until the database is replaced by an older snapshot. Available snapshots:'
  for snapshot in "$data"/backups/snapshot-[0-9][0-9][0-9][0-9][0-9][0-9]*Z.sqlite; do
    [ -f "$snapshot" ] || continue
    version=$(od -An -tu4 --endian=big -j60 -N4 "$snapshot" | tr -d ' ')
    echo "  ${snapshot##*/} (schema $version)"
    [ "${version:-0}" -lt 1 ] || [ "$version" -gt "$knows" ] || fitting=$snapshot
  done
  if [ -z "$fitting" ]; then
    echo 'None of them has a schema that it supports.'
    return
  fi
  echo 'To restore the newest usable one, losing everything written to the database since:'
  echo '  systemctl stop robot-rest'
  echo "  mkdir -p '$data/newer' && mv '$file'* '$data/newer/'"
  echo "  install -m 0600 -o robot-rest -g robot-rest '$fitting' '$file'"
} >&2

# A setting of the installed service: from the operator, or from the build, or the given default.
setting() {
  local found
  found=$(cat "$home/current/deploy/service.env" "$root/etc/robot-rest/robot-rest.env" 2>/dev/null |
    sed -n "s/^$1=//p" | tail -n 1 | tr -d "\"'")
  echo "${found:-$2}"
}

# Copies the build next to the others. A folder in releases/ is always complete, even after a crash.
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

# Loads the native module to check that the build matches this machine and its Node.js.
check() {
  command -v node >/dev/null || die 'Node.js is not installed where systemd looks for it (/usr/bin or /usr/local/bin).'
  (cd "$1" && node --input-type=module --eval '
    const [major, minor] = process.versions.node.split(".").map(Number);
    if (major < 20 || (major === 20 && minor < 19)) throw new Error(`Node.js ${process.version} is too old; 20.19 is required`);
    const { default: Database } = await import("better-sqlite3");
    new Database(":memory:").close();
  ') || die 'This build does not run here: it was built for a different processor or major version of Node.js.'
}

switch_to() {
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

# Installs the system files of the current version.
install_files() {
  local from=$home/current/deploy etc=$root/etc
  put 0644 "$from/$unit" "$etc/systemd/system/$unit"
  # Releases without a guard have no unit for it: nothing of a later one may go on running.
  if [ -e "$from/$guard" ]; then
    put 0644 "$from/$guard" "$etc/systemd/system/$guard"
  elif [ -e "$etc/systemd/system/$guard" ]; then
    if [ -z "$root" ]; then
      systemctl disable --now --quiet "$guard" 2>/dev/null || true
      rm -f /tmp/rest_api.sock.stop
    fi
    rm -f "$etc/systemd/system/$guard"
    changed=yes
  fi
  install_skill_units "$from" "$etc/systemd/system"
  put 0644 "$from/sysusers.conf" "$etc/sysusers.d/robot-rest.conf"
  put 0644 "$from/tmpfiles.conf" "$etc/tmpfiles.d/robot-rest.conf"
  put_text "$etc/polkit-1/rules.d/50-robot-rest.rules" \
    "$(sed "s/^var robotRestRestartable = .*/var robotRestRestartable = [$(restartable_units)];/" "$from/polkit/50-robot-rest.rules")"
  if [ -d "$etc/polkit-1/localauthority" ]; then
    put 0644 "$from/polkit/robot-rest.pkla" "$etc/polkit-1/localauthority/50-local.d/robot-rest.pkla"
  fi
  put 0755 "$from/robot-rest-admin" "$root/usr/local/sbin/robot-rest-admin"
  # The settings belong to the operator and are never overwritten.
  [ -e "$etc/robot-rest/robot-rest.env" ] || put 0640 "$from/robot-rest.env" "$etc/robot-rest/robot-rest.env"
}

# The units of runs, with the limits and the interpreter of the settings: what the service itself could change would not
# hold what takes it over. Releases before runs have none.
install_skill_units() {
  local name memory tasks disk python
   for name in "${skill_units[@]}"; do
    if [ -e "$1/$name" ]; then
      put 0644 "$1/$name" "$2/$name"
    elif [ -e "$2/$name" ]; then
      rm -rf "${2:?}/$name" "$2/$name.d"
      changed=yes
    fi
  done
  [ -e "$1/${skill_units[0]}" ] || return 0
  memory=$(number SERVICE_SKILL_MEMORY_MB 512)
  tasks=$(number SERVICE_SKILL_TASKS 64)
  disk=$(number SERVICE_SKILL_DISK_MB 64)
  python=$(skill_python)
  put_text "$2/robot-skill@.service.d/settings.conf" "[Service]
MemoryMax=${memory}M
TasksMax=$tasks
ExecStart=
ExecStart=$python -I -B /run/robot-rest/start.py
$(python_folders "$python" | sed 's/^/BindReadOnlyPaths=/')"
  put_text "$2/robot-skill-tmp@.service.d/settings.conf" "[Service]
Environment=SIZE=${disk}M"
}

# A setting that is a whole number.
number() {
  local found
  found=$(setting "$1" "$2")
  if [[ $found =~ ^[0-9]+$ ]]; then echo "$found"; else echo "$2"; fi
}

# Path of the interpreter of skills, as the service finds it.
skill_python() {
  local found
  found=$(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin command -v "$(setting SERVICE_SKILL_PYTHON python3)" || true)
  if [[ $found =~ ^/[A-Za-z0-9_./+-]+$ ]]; then echo "$found"; else echo /usr/bin/python3; fi
}

# Folders outside of /usr that an interpreter needs. It is asked as nobody, since it may belong to anybody.
python_folders() {
  case "$1" in /usr/*) return 0 ;; esac
  local ask='import os, site, sys
given = [sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]
for folder in sorted({os.path.abspath(each) for each in given + site.getsitepackages() if os.path.isdir(each)}): print(folder)'
  { [ -z "$root" ] && setpriv --reuid=65534 --regid=65534 --clear-groups "$1" -I -B -c "$ask" 2>/dev/null ||
    dirname "$(dirname "$1")"; } | grep -E '^/[A-Za-z0-9_./+-]+$' | grep -vE '^/usr(/|$)|^/$' || true
}

# The units of this computer in SERVICE_RESTARTABLE_UNITS, as a list in JavaScript; names with a backslash are left out.
restartable_units() {
  setting SERVICE_RESTARTABLE_UNITS '' | tr ';' '\n' | sed -n 's/^[[:space:]]*head[[:space:]]*=//p' | tr ',' '\n' |
    tr -d '[:blank:]' | sed -nE 's/^[A-Za-z0-9@_.:*-]+\.service$/"&"/p' | paste -sd, -
}

put() {
  cmp -s "$2" "$3" && return
  install -D -m "$1" "$2" "$3.new"
  mv -T "$3.new" "$3"
  changed=yes
}

# The same with a text.
put_text() {
  local file=$home/.text
  printf '%s\n' "$2" >"$file"
  put 0644 "$file" "$1"
  rm -f "$file"
}

# Succeeds once the service has reported readiness.
start_service() {
  local how=start
  [ -z "$root" ] || return 0
  [ "$changed" = no ] || how=restart
  systemd-sysusers /etc/sysusers.d/robot-rest.conf &&
    systemd-tmpfiles --create /etc/tmpfiles.d/robot-rest.conf &&
    systemctl daemon-reload &&
    systemctl enable --quiet "$unit" &&
    systemctl "$how" "$unit" || return 1
  [ ! -e "$home/current/deploy/$guard" ] || start_guard "$how"
}

# The service works without its guard, and says in /health/ready that it is missing.
start_guard() {
  systemctl enable --quiet "$guard" && systemctl "$1" "$guard" ||
    echo 'The guard did not start; see journalctl -u robot-rest-guard.' >&2
}

# Keeps the current and the previous version.
prune() {
  local release name
  for release in "$home"/releases/*; do
    name=releases/${release##*/}
    [ "$name" = "$(readlink "$home/current")" ] || [ "$name" = "$(readlink "$home/previous")" ] || rm -rf "$release"
  done
}

uninstall() {
  local name
  # One by one: systemctl does nothing at all when it does not know one of them.
  for name in "$unit" "$guard"; do
    [ -n "$root" ] || systemctl disable --now --quiet "$name" 2>/dev/null || true
  done
  for name in "${skill_units[@]}"; do
    rm -rf "$root/etc/systemd/system/$name" "$root/etc/systemd/system/$name.d"
  done
  rm -rf "$home"
  rm -f "$root/etc/systemd/system/$unit" "$root/etc/systemd/system/$guard" "$root/etc/sysusers.d/robot-rest.conf" "$root/etc/tmpfiles.d/robot-rest.conf" \
    "$root/etc/polkit-1/rules.d/50-robot-rest.rules" "$root/etc/polkit-1/localauthority/50-local.d/robot-rest.pkla" \
    "$root/usr/local/sbin/robot-rest-admin"
  if [ -z "$root" ]; then
    rm -f /tmp/rest_api.sock /tmp/rest_api.sock.stop
    rm -rf /run/robot-rest-guard /run/robot-rest-runs /run/robot-skill
    systemctl daemon-reload
    # One that has ended badly would be listed for ever.
    for name in "$unit" "$guard"; do systemctl reset-failed "$name" 2>/dev/null || true; done
  fi
  if [ "$1" = --purge ]; then
    rm -rf "$root/var/lib/robot-rest" "$root/etc/robot-rest"
    echo 'Removed, including all data. The user robot-rest is kept, so that its uid is not reassigned.'
  else
    echo 'Removed. The data in /var/lib/robot-rest and the settings in /etc/robot-rest are kept.'
  fi
}

lock() {
  mkdir -p "$home/releases"
  exec 9>"$home/.lock"
  flock --nonblock 9 || die 'Another installation is in progress.'
}

die() {
  echo "$1" >&2
  exit 1
}

main "$@"
