#!/bin/bash
# Installs the programs of the operating system that test/components runs against (Debian, Ubuntu). May be run again.
set -euo pipefail

packages=(
  alsa-utils      # amixer
  chromium        # a real browser for the documentation page
  curl            # the README's session
  dbus            # private buses, for the Wi-Fi tests and WirePlumber
  faketime        # clocks that stand elsewhere
  iproute2        # the wired device of the real NetworkManager
  mosquitto       # a real MQTT broker
  network-manager
  openssh-client
  openssh-server  # the base computer
  pipewire        # a loudspeaker, of the newer kind
  pipewire-bin
  pipewire-pulse
  pulseaudio      # a loudspeaker, of the older kind
  pulseaudio-utils
  python3-actionlib # the action servers of a robot with ROS 1
  python3-actionlib-msgs # goals and their statuses
  python3-cryptography
  python3-dbusmock  # a NetworkManager that can be made to fail
  python3-geometry-msgs # velocities of that robot
  python3-jwt     # an independent verifier of our tokens
  python3-move-base-msgs # its goals
  python3-nav-msgs # its odometry
  python3-paho-mqtt # the example of a robot in Python
  python3-aiohttp # a Python client of the skills routes
  python3-rosmaster # the name server of ROS 1
  python3-rospy   # nodes of ROS 1
  python3-sensor-msgs # its battery
  python3-std-msgs
  python3-std-srvs # its services
  python3-tornado # the WebSocket of its rosbridge server
  sqlite3         # another program that opens the database
  systemd         # journalctl, systemctl, checks of the unit
  systemd-journal-remote # makes journals
  wireplumber
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
