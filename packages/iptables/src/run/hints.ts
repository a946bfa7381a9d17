/** Advice in the error for a missing iptables program. */
export const packageHint = 'install the package iptables (Debian, Ubuntu, Alpine) or iptables-nft (Fedora, RHEL)'

/** Advice in the error for an operation that the kernel did not permit. */
export const privilegeHint =
  'this needs CAP_NET_ADMIN: be root, and in the user namespace that owns the network namespace or in one above it'
