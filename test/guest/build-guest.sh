#!/bin/bash
# Builds the computer that `npm run test:guest` boots: a small Debian with a real systemd, journal and NetworkManager, three
# simulated radios, and two access points on two of them. As root on Debian, amd64; takes about two minutes, once. Prints
# the folder it is kept in, outside of the repository. May be run again: what stands is not built again.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/robot-rest-guest
guest_packages=(
  linux-image-amd64 kmod                    # a kernel with mac80211_hwsim
  systemd systemd-sysv udev dbus procps
  network-manager wpasupplicant iw iproute2 iputils-ping
  hostapd dnsmasq-base                      # the networks to join
  openssh-server
  polkitd libstdc++6                        # who may what, and what Node.js needs: for the installed service
  python3                                   # the guard feeds its watchdog through it, and skills run in it
)

stamp=$(cat "$0" | sha256sum | cut -d' ' -f1)
if [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "$cache"
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || [ "$(uname -m)" != x86_64 ]; then
  echo "The guest is built as root on an amd64 Debian: sudo $0" >&2
  exit 1
fi
umask 022
mkdir -p "$cache"
chmod 700 "$cache"
exec 9>"$cache/lock"
flock 9
rm -f "$cache/stamp"

host_packages=(qemu-system-x86 mmdebstrap cpio zstd openssl openssh-client)
missing=()
for package in "${host_packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ "${#missing[@]}" -ne 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q >&2
  apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
fi

# The system itself, kept as an archive, so that a changed network below does not fetch it anew.
archive="$cache/system-$(echo "${guest_packages[*]}" | sha256sum | cut -c1-12).tar.zst"
if [ ! -e "$archive" ]; then
  rm -f "$cache"/system-*
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror() { apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' "Codename: $suite" 'Component: main' | head -1; }
  [ -n "$(mirror)" ] || apt-get update -q >&2
  [ -n "$(mirror)" ] || { echo 'apt knows no Debian mirror.' >&2; exit 1; }
  include=$(IFS=,; echo "${guest_packages[*]}")
  mmdebstrap --variant=minbase --include="$include" --aptopt='APT::Install-Recommends "false"' \
    --format=tar "$suite" - "deb $(mirror) $suite main" </dev/null | zstd -q -3 -T2 > "$archive.part"
  mv "$archive.part" "$archive"
fi

work=$(mktemp -d "$cache/work-XXXXXX")
trap 'rm -rf "$work"' EXIT
root="$work/root"
mkdir "$root"
zstd -q -dc "$archive" | tar -C "$root" -x

# What is booted, and no more of the kernel than that needs: all of it is read into memory.
kernel=$(ls "$root/lib/modules")
cp "$root/boot/vmlinuz-$kernel" "$cache/vmlinuz"
modules="$root/lib/modules/$kernel/kernel"
(
  cd "$modules"
  mkdir ../kept
  cp --parents -r arch/x86/crypto crypto lib net drivers/virtio fs/autofs drivers/net/virtio_net.ko drivers/net/net_failover.ko ../kept
  find . -name 'mac80211_hwsim.ko*' -exec cp --parents {} ../kept \;
)
rm -rf "$modules" "$root"/boot/* "$root"/usr/share/{doc,man,locale} "$root"/var/{cache/apt,lib/apt/lists}
mv "$root/lib/modules/$kernel/kept" "$modules"
depmod -b "$root" "$kernel"
# Python can register its byte code with the kernel, which has no module for that here.
rm -f "$root"/usr/lib/binfmt.d/*

put() { # path; content from standard input
  mkdir -p "$(dirname "$root/$1")"
  cat > "$root/$1"
}

ln -sf /lib/systemd/systemd "$root/init"
echo base | put etc/hostname
mkdir -p "$root/root/.ssh" "$root/var/log/journal"
for name in id host; do
  rm -f "$cache/$name" "$cache/$name.pub"
  ssh-keygen -q -t ed25519 -N '' -C '' -f "$cache/$name"
done
install -m 600 "$cache/id.pub" "$root/root/.ssh/authorized_keys"
rm -f "$root"/etc/ssh/ssh_host_*
install -m 600 "$cache/host" "$root/etc/ssh/ssh_host_ed25519_key"
put etc/systemd/network/10-management.network <<'END'
[Match]
Driver=virtio_net
[Network]
DHCP=ipv4
END
printf 'virtio_net\nmac80211_hwsim\n' | put etc/modules-load.d/guest.conf
echo 'options mac80211_hwsim radios=3' | put etc/modprobe.d/guest.conf
put etc/NetworkManager/conf.d/guest.conf <<'END'
[main]
dhcp=internal
[keyfile]
unmanaged-devices=driver:virtio_net;interface-name:wlan1;interface-name:wlan2;interface-name:hwsim0
END

# Who guards the company's network: a certification authority, and its server radius.lab.
pki="$root/etc/hostapd"
mkdir -p "$pki"
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650)
openssl req -x509 "${new_key[@]}" -subj '/CN=Guest CA' -keyout "$work/ca.key" -out "$cache/ca.pem" \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req "${new_key[@]}" -subj '/CN=radius.lab' -keyout "$pki/server.key" -out "$work/server.csr" 2>/dev/null
printf 'subjectAltName=DNS:radius.lab\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' > "$work/server.ext"
openssl x509 -req -in "$work/server.csr" -CA "$cache/ca.pem" -CAkey "$work/ca.key" -set_serial 2 -days 3650 \
  -extfile "$work/server.ext" -out "$pki/server.pem" 2>/dev/null
cp "$cache/ca.pem" "$pki/ca.pem"
put etc/hostapd/users <<'END'
* PEAP,TTLS
"bob" MSCHAPV2,TTLS-MSCHAPV2,TTLS-PAP "hunter2" [2]
END
put etc/hostapd/home.conf <<'END'
interface=wlan1
ssid=HomeNet
hw_mode=g
channel=6
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=correct horse
END
put etc/hostapd/corp.conf <<'END'
interface=wlan2
ssid=Corp
hw_mode=g
channel=1
ignore_broadcast_ssid=1
wpa=2
wpa_key_mgmt=WPA-EAP
rsn_pairwise=CCMP
ieee8021x=1
eap_server=1
eap_user_file=/etc/hostapd/users
ca_cert=/etc/hostapd/ca.pem
server_cert=/etc/hostapd/server.pem
private_key=/etc/hostapd/server.key
END
number=0
for name in home corp; do
  number=$((number + 1))
  put "etc/systemd/system/ap-$name.service" <<END
[Unit]
Description=Access point $name
After=systemd-modules-load.service sys-subsystem-net-devices-wlan$number.device
Wants=sys-subsystem-net-devices-wlan$number.device
[Service]
ExecStartPre=/sbin/ip address replace 10.66.$number.1/24 dev wlan$number
ExecStart=/usr/sbin/hostapd /etc/hostapd/$name.conf
Restart=on-failure
RestartSec=1
[Install]
WantedBy=multi-user.target
END
  put "etc/systemd/system/dhcp-$name.service" <<END
[Unit]
Description=Addresses of access point $name
After=ap-$name.service
[Service]
ExecStart=/usr/sbin/dnsmasq -k -C /dev/null -i wlan$number --bind-dynamic -p 0 --dhcp-range=10.66.$number.50,10.66.$number.99,1h
Restart=on-failure
RestartSec=1
[Install]
WantedBy=multi-user.target
END
done
systemctl --root="$root" --quiet enable systemd-networkd ssh NetworkManager ap-home ap-corp dhcp-home dhcp-corp
systemctl --root="$root" --quiet disable hostapd NetworkManager-wait-online systemd-networkd-wait-online 2>/dev/null || true

(cd "$root" && find . | cpio -o -H newc --quiet) | zstd -q -3 -T2 > "$work/root.cpio.zst"
mv "$work/root.cpio.zst" "$cache/root.cpio.zst"
echo "$stamp" > "$cache/stamp"
echo "$cache"
