#!/bin/bash
# Installs the programs of the operating system that test/components runs against (Debian, Ubuntu). May be run again.
set -euo pipefail

packages=(
  alsa-utils      # amixer
  bubblewrap      # the sandbox of skills off the robot
  caddy           # a proxy in front of the service
  chromium        # a real browser for the documentation page
  curl            # the README's session
  default-jdk-headless # OpenAPI Generator, and its client in Java
  dbus            # private buses, for the Wi-Fi tests and WirePlumber
  faketime        # clocks that stand elsewhere
  g++             # a ROS 1 action server in C++, with the four lib*-dev below
  gir1.2-gst-plugins-bad-1.0 # the daemon of a Reachy Mini imports it, and the next two
  gir1.2-gst-plugins-base-1.0
  gir1.2-gstreamer-1.0
  iproute2        # the wired device of the real NetworkManager
  libactionlib-dev
  libmove-base-msgs-dev
  libnav-msgs-dev
  libreoffice-calc # a real spreadsheet, for the CSV files (300 MB)
  libroscpp-dev
  maven           # fetches OpenAPI Generator
  mosquitto       # a real MQTT broker
  network-manager
  nginx-light     # another proxy
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
  python3-gst-1.0 # as above
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
  python3-websockets # a Python client of the events
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

# Generators of clients, compilers' libraries and linters, for test/outside. Each is installed once for its versions.
outside="${XDG_CACHE_HOME:-$HOME/.cache}/robot-rest/outside"
apps="$(cd "$(dirname "$0")" && pwd)/outside/apps"
mkdir -p "$outside"

# once NAME VERSIONS COMMAND...: runs the command in $outside, unless it has done so for these versions. Where a registry
# cannot be reached, the suites that need it are skipped.
once() {
  local stamp="$outside/$1.installed" versions="$2"
  [ "$(cat "$stamp" 2>/dev/null)" = "$versions" ] && return
  rm -f "$stamp"
  set +e # and not `if`, within which the commands would go on after a failure
  (
    set -e
    cd "$outside"
    "${@:3}"
    echo "$versions" >"$stamp"
  )
  set -e
  [ -f "$stamp" ] || echo "The $1 tools could not be installed: their suites of test/outside are skipped." >&2
}
venv() { # NAME PACKAGES...
  /usr/bin/python3 -m venv --clear "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

# shellcheck disable=SC2086 # lists of words
node_tools='openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.92.2 typescript@5.9.3 @types/node@20.19.43
  @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3'
once node "$node_tools" npm install --prefix node --no-save --silent $node_tools

# Robots with textures, three in ROS packages (234 MB, of which four folders are kept).
robots='example-robot-data==6.0.0 pybullet==3.2.7'
robot_packages() {
  rm -rf robots
  # shellcheck disable=SC2086
  /usr/bin/python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest robots $robots
  /usr/bin/python3 - "$@" <<'PYTHON'
import glob, sys, zipfile
for path in glob.glob('robots/*.whl'):
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall('robots', [one for one in wheel.namelist() if any(f'/{name}/' in one for name in sys.argv[1:])])
PYTHON
  rm robots/*.whl
}
packages='anymal_b_simple_description anymal_c_simple_description kinova_description aliengo'
# shellcheck disable=SC2086
once robots "$robots $packages" robot_packages $packages

data_tools='pandas==3.1.1 polars==2.1.0 sqlalchemy==2.1.9'
# shellcheck disable=SC2086
once data "$data_tools" venv data $data_tools

python_tools='openapi-python-client==0.29.1 mypy==2.4.1 pydantic==2.14.3 urllib3==2.8.0 python-dateutil==4.0.0'
once python "$python_tools" venv python $python_tools
once schemathesis 4.32.5 venv schemathesis schemathesis==4.32.5

# The daemon of a Reachy Mini, which simulates its robot, and paho-mqtt for the example that connects it. Without its
# dependencies, because it pins some that not every registry has.
reachy='reachy-mini==1.13.0'
reachy_needs='aiohttp==3.14.5 asgiref==3.13.0 fastapi==0.165.0 huggingface-hub==1.33.0 jinja2==3.1.6 libusb-package==1.0.30.0
  log-throttling==0.0.3 numpy==2.4.6 onnxruntime==1.27.0 paho-mqtt==2.2.0 platformdirs==4.14.7 psutil==7.2.2
  pulsectl==24.12.0 pydantic==2.14.3 pyserial==3.5 python-multipart==0.0.34 pyusb==1.3.1 pyyaml==6.0.3 questionary==2.1.1
  reachy-mini-motor-controller==1.5.6 reachy-mini-rust-kinematics==1.0.3 requests==2.34.2 rich==15.0.0 rustypot==1.13.1
  starlette==1.10.0 toml==0.10.2 uvicorn==0.54.0 websockets==15.0.1 zeroconf==0.154.0'
reachy_daemon() {
  /usr/bin/python3 -m venv --clear --system-site-packages reachy
  reachy/bin/pip install --quiet --disable-pip-version-check --no-deps "$reachy"
  reachy/bin/pip install --quiet --disable-pip-version-check $reachy_needs
}
once reachy "$reachy $reachy_needs" reachy_daemon

go_tools='oapi-codegen@v2.8.2'
go_install() {
  GOBIN="$outside/go/bin" go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/$go_tools"
  (cd "$apps/oapi-codegen" && go mod download)
}
if command -v go >/dev/null; then
  once go "$go_tools $(sha256sum <"$apps/oapi-codegen/go.sum")" go_install
else
  echo 'There is no Go here: its suites of test/outside are skipped.'
fi

rust_libraries() { # compiled once; the crate itself is empty
  mkdir -p rust/crate/src
  cp "$apps/rust/Cargo.toml" "$apps/rust/Cargo.lock" rust/crate/
  : >rust/crate/src/lib.rs
  CARGO_TARGET_DIR="$outside/rust/target" cargo build --quiet --locked --manifest-path rust/crate/Cargo.toml
}
if command -v cargo >/dev/null; then
  once rust "$(sha256sum <"$apps/rust/Cargo.lock")" rust_libraries
else
  echo 'There is no Rust here: its suites of test/outside are skipped.'
fi

generator=7.14.0
java_tools() {
  mvn --quiet --batch-mode dependency:copy -Dartifact="org.openapitools:openapi-generator-cli:$generator" \
    -DoutputDirectory="$outside/java"
  rm -rf java/lib
  mvn --quiet --batch-mode --file "$apps/java/pom.xml" dependency:copy-dependencies -DoutputDirectory="$outside/java/lib"
}
once java "$generator $(sha256sum <"$apps/java/pom.xml")" java_tools

echo 'Every component is installed.'
