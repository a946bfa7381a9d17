#!/bin/sh
# machine.sh FOLDER [COMMAND...]: prepares the machine as an init process would, runs the command or a shell in the
# folder, and powers off. The command's output goes to the second serial port, between two marker lines. The kernel uses
# the first port.
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
  # The command gets no terminal. A waiting shell reaps orphans.
  { "$@" < /dev/null; echo "cni-vm exit $?"; } 2>&1 | cat
fi
echo o > /proc/sysrq-trigger
# Programs cannot be executed from here on.
while :; do :; done
