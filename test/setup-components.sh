#!/bin/bash
# Installs the programs of the operating system that test/components runs against (Debian, Ubuntu). May be run again.
set -euo pipefail

packages=(
  alsa-utils      # amixer
  chromium        # a real browser for the documentation page
  curl            # the README's session
  dbus            # private buses, for the Wi-Fi tests and WirePlumber
  faketime        # clocks that stand elsewhere
  g++             # a ROS 1 action server in C++, with the four lib*-dev below
  iproute2        # the wired device of the real NetworkManager
  libactionlib-dev
  libmove-base-msgs-dev
  libnav-msgs-dev
  libreoffice-calc # a real spreadsheet, for the CSV files (300 MB)
  libroscpp-dev
  mosquitto       # a real MQTT broker
  network-manager
  openssh-client
  openssh-server  # the base computer
  pipewire        # a loudspeaker, of the newer kind
  pipewire-bin
  pipewire-pulse
  pulseaudio      # a loudspeaker, of the older kind
  pulseaudio-utils
  python3-actionlib # ROS 1: action servers
  python3-actionlib-msgs # ROS 1: ids and statuses of goals
  python3-cryptography
  python3-dbusmock  # a NetworkManager that can be made to fail
  python3-geometry-msgs # ROS 1: velocities
  python3-jwt     # an independent verifier of our tokens
  python3-move-base-msgs # ROS 1: goals
  python3-nav-msgs # ROS 1: odometry
  python3-paho-mqtt # the example of a robot in Python
  python3-aiohttp # a Python client of the skills routes
  python3-rosmaster # ROS 1: the name server
  python3-rospy   # ROS 1: nodes
  python3-sensor-msgs # ROS 1: the battery
  python3-sqlalchemy # keeps its own database of the fifteen tables
  python3-std-msgs # ROS 1: empty messages
  python3-std-srvs # ROS 1: services that switch something
  python3-yaml    # the reader most robots have for their YAML
  python3-tornado # ROS 1: the WebSocket of its rosbridge server
  python3-venv    # the newest paho-mqtt, see below
  sqlite3         # another program that opens the database
  systemd         # journalctl, systemctl, checks of the unit
  systemd-journal-remote # makes journals
  wireplumber
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing: ${missing[*]}. Run this as root: sudo $0" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends "${missing[@]}"
fi
if [ "$(id -u)" -eq 0 ] && [ "${SUDO_USER:-root}" != root ]; then
  exec sudo -u "$SUDO_USER" -H "$0" # what follows belongs into the home of whoever runs the tests
fi

# Debian's paho-mqtt is a 1.6; the example of a robot in Python has to run with the newest one as well.
paho="${XDG_CACHE_HOME:-$HOME/.cache}/robot-rest/paho-2"
if ! "$paho/bin/python" -c 'import paho.mqtt.enums' 2>/dev/null; then
  /usr/bin/python3 -m venv --clear "$paho"
  "$paho/bin/pip" install --quiet --disable-pip-version-check 'paho-mqtt>=2'
fi
echo 'Every component is installed.'
