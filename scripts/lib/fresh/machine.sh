#!/bin/sh
# machine.sh ROOT FOLDER COMMAND...: prepares the machine with files in ROOT as an init process would, then runs the
# command. It must be the first process of new mount, process and IPC namespaces.
set -eu
root=$1 folder=$2
shift 2

# A chroot would not work: the kernel forbids user namespaces in it, and entering a mount namespace leaves it.
# pivot_root needs a mount point.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"

mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
mount -t devpts -o newinstance,mode=620,ptmxmode=666,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "$root/dev/${stream#*:}"; done
for device in null zero full random urandom tty net/tun; do
  if [ -e "/dev/$device" ]; then
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  fi
done

cd "$root"
pivot_root . mnt
umount --lazy /mnt
cd "$folder"
# The first process of a namespace must reap orphans: the shell does that while it waits.
"$@" <&0 &
wait $!
