#!/bin/sh
# machine.sh SECONDS: runs ADD, CHECK and DEL of plugins in namespaces and powers the machine off. It prints results as
# lines on the first virtio console, like a run of test files. SECONDS sets the clock, which the machine lacks.
/bin/busybox --install -s /bin
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
date -s "@$1" > /dev/null
modprobe virtio_console
modprobe virtio_net
tries=0
until [ -c /dev/hvc0 ] && [ -d /sys/class/net/eth0 ] || [ $((tries += 1)) -gt 100 ]; do usleep 100000; done
exec < /dev/hvc0 > /dev/hvc0 2>&1
stty raw -echo
mkdir -p /run/netns /run/istio-cni /tmp
ip link set lo up
ip link set eth0 up
# Addresses of qemu's user network.
ip address add 10.0.2.15/24 dev eth0
echo "cni-vm up $(uname -rm)"

in_pod() { nsenter --net=/run/netns/pod "$@"; }
# Prints all rules, except empty chains and tables that iptables never removes.
rules() {
  in_pod nft list ruleset |
    grep -vE '^#|^table ip6? nat [{]$|^.chain (PREROUTING|INPUT|OUTPUT|POSTROUTING) [{]$|^..type nat hook |^.?[}]$|^$'
}
# Arguments: COMMAND TYPE MEMBERS
call() {
  echo "{\"cniVersion\":\"1.0.0\",\"name\":\"pods\",\"type\":\"$2\",$3,\"prevResult\":{\"cniVersion\":\"1.0.0\",\"interfaces\":[],\"ips\":[{\"address\":\"10.1.2.3/24\"}]}}" |
    env -i PATH="$PATH" CNI_COMMAND="$1" CNI_CONTAINERID=c0ffee CNI_NETNS=/run/netns/pod CNI_IFNAME=eth0 \
      CNI_PATH=/opt/cni/bin CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web' "/opt/cni/bin/$2" > /tmp/out 2> /tmp/err
  code=$?
  echo "$1 $2: exit code $code"
  cat /tmp/out /tmp/err
  echo
  return $code
}
# Arguments: NAME COMMAND... Reports a test, which passes if the command succeeds.
so() {
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) errors="$errors${errors:+,}\"$name\""; fi
}
not() { ! "$@"; }
differs() { ! call CHECK "$1" "$2" && grep -q '"code": 100,' /tmp/out; }
says() { grep -q "$1" /tmp/out; }
written() { case $1 in inet) in_pod nft list ruleset ;; *) in_pod iptables-save ;; esac | grep -qE "$2"; }
# Arguments: NAME TYPE MEMBERS PORT FAMILY TABLE CHAIN. Tests the life of a pod: a rule redirects to PORT, and CHAIN has
# a rule.
life() {
  passed=0 failed=0 errors= began=$(date +%s)
  touch /run/netns/pod
  unshare --net mount --bind /proc/self/ns/net /run/netns/pod
  in_pod ip link set lo up
  so 'a new namespace has no rules' not rules
  so 'ADD succeeds' call ADD "$2" "$3"
  so 'ADD gives the result of the plugin before it' says 10.1.2.3/24
  so 'ADD writes rules' written "$5" "(REDIRECT --to-ports |redirect to :)$4$"
  rules
  so 'a second ADD succeeds' call ADD "$2" "$3"
  so 'CHECK finds the rules as they were written' call CHECK "$2" "$3"
  so 'a rule is taken away' in_pod nft flush chain "$5" "$6" "$7"
  so 'CHECK sees that, with code 100' differs "$2" "$3"
  so 'ADD mends it' call ADD "$2" "$3"
  so 'CHECK finds it mended' call CHECK "$2" "$3"
  so 'DEL succeeds' call DEL "$2" "$3"
  so 'DEL leaves no rule and no chain' not rules
  so 'a second DEL succeeds' call DEL "$2" "$3"
  so 'DEL leaves no record' [ -z "$(ls /run/istio-cni/attachments 2> /dev/null | grep json)" ]
  umount /run/netns/pod
  echo "cni-vm file {\"file\":\"$1\",\"passed\":$passed,\"failed\":$failed,\"errors\":[$errors],\"skipped\":[],\"seconds\":$(($(date +%s) - began))}"
  [ $failed = 0 ] || result=1
}

result=0
agent='"cni_agent_run_dir":"/run/istio-cni"'
life hello-chain hello-chain '"port":15001' 15001 ip nat EX_OUTPUT
life 'istio-cni, rules of iptables' istio-cni "$agent" 15006 ip nat ISTIO_OUTPUT
life 'istio-cni, tables of nftables' istio-cni "$agent,\"native_nftables\":true" 15006 inet istio-proxy-nat istio-output
echo "cni-vm exit $result"
sync
echo o > /proc/sysrq-trigger
while :; do sleep 1; done
