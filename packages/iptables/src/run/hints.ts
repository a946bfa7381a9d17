/** What to do when a program is not there. */
export const packageHint = 'install the package iptables (Debian, Ubuntu, Alpine) or iptables-nft (Fedora, RHEL)'

/** What to do when the kernel says no. */
export const privilegeHint =
  'this needs CAP_NET_ADMIN: be root, and in the user namespace that owns the network namespace or in one above it'
