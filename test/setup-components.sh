#!/bin/bash
# Installs the programs of the operating system that test/components runs against (Debian, Ubuntu). May be run again.
set -euo pipefail

packages=(
  chromium        # a real browser for the documentation page
  curl            # the README's session
  faketime        # clocks that stand elsewhere
  python3-cryptography
  python3-jwt     # an independent verifier of our tokens
  sqlite3         # another program that opens the database
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  echo 'Every component is installed.'
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "Missing: ${missing[*]}. Run this as root: sudo $0" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends "${missing[@]}"
