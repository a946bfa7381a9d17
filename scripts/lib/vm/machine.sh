#!/bin/sh
# machine.sh FOLDER [COMMAND...]: what a machine does between its kernel and a login; then the command in that folder, a
# shell without one, and the machine goes off. What the command says is on the second serial port, between two lines
# of ours; the kernel has the first.
folder=$1
shift
exec < /dev/ttyS1 > /dev/ttyS1 2>&1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
mount -t tmpfs -o mode=755 tmpfs /run
case $folder/ in
  /tmp/*) ;; # else it would be hidden
  *) mount -t tmpfs -o mode=1777 tmpfs /tmp ;;
esac
mkdir -p /dev/pts /dev/shm
mount -t devpts -o ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ip link set lo up
cd "$folder"
if [ $# = 0 ]; then
  stty sane
  setsid --ctty bash
else
  stty raw -echo
  echo "cni-vm up $(uname -r)"
  # Not a terminal for the command. Orphans are collected by a shell that waits.
  { "$@" < /dev/null; echo "cni-vm exit $?"; } 2>&1 | cat
fi
echo o > /proc/sysrq-trigger
# Nothing can be executed from here on.
while :; do :; done
