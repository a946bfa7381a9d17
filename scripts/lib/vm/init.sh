#!/bin/busybox sh
# First process of the machine. Mounts this machine's files through 9p, read-only, with a writable layer in memory, as
# its root. Then runs machine.sh.
set -e
/bin/busybox mkdir -p /proc /sys /dev /host /memory /root
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/modules/$module"; done < /modules/order

mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose host /host
mount -t tmpfs -o size=75% tmpfs /memory
mkdir /memory/files /memory/work
mount -t overlay -o lowerdir=/host,upperdir=/memory/files,workdir=/memory/work overlay /root
mkdir -p /root/lib/modules
mount --bind "/host$(cat /modules/folder)" /root/lib/modules
for folder in proc sys dev; do mount --move "/$folder" "/root/$folder"; done
set --
while read -r argument; do set -- "$@" "$argument"; done < /command
# chroot would not work: the kernel forbids user namespaces in it.
exec switch_root /root /bin/sh "$@"
