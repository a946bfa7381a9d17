/** Pattern for paths of shared libraries in a Debian package, including their symbolic links. */
const LIBRARIES = /^usr\/lib\/[^/]+\/lib[^/]+\.so\.[\d.]+$/

/** Extensions of iptables that the images omit, because the agent never uses them. */
const UNUSED = [
  'AUDIT|CLASSIFY|CLUSTERIP|CONNSECMARK|DNPT|ECN|HMARK|IDLETIMER|LED|RATEEST|SECMARK|SNPT|SYNPROXY|TCPOPTSTRIP|ULOG|DSCP|HL|TEE|TOS|TTL',
  'ah|bpf|cgroup|cluster|connbytes|connlabel|cpu|dccp|devgroup|dscp|dst|ecn|esp|eui64|frag|hbh|helper|ipcomp|ipv6header|mh|osf|quota|rateest|realm|rt|srh|time|tos|ttl|u32',
].join('|')

/** Pattern for the iptables extensions that the container images contain. */
const MATCHES_AND_TARGETS = `lib/[^/]+/xtables/lib(?:xt|ipt|ip6t)_(?!(?:${UNUSED})\\.so$)`

/**
 * Patterns for the files that the images take from Debian packages. No pattern matches shells or scripts.
 * - `base`: the C library and Debian's standard files.
 * - `programs`: iptables, ipset and nsenter, for nodes where the agent cannot use netlink.
 */
export const CONTENTS: Readonly<Record<'base' | 'programs', Readonly<Record<string, RegExp>>>> = {
  base: {
    'base-files': /^(usr\/share\/common-licenses\/|usr\/lib\/os-release$|etc\/(os-release|debian_version)$)/,
    libc6: /^usr\/lib(64)?\/([^/]+\/)?(ld-linux[^/]+|lib(c|m|dl|pthread)\.so\.\d+)$/,
  },
  programs: {
    iptables: new RegExp(
      `^usr/(?:sbin/(?:xtables-(?:nft|legacy)-multi|ip6?tables-(?:nft|legacy)(?:-save|-restore)?)$|${MATCHES_AND_TARGETS})`,
    ),
    ipset: /^usr\/sbin\/ipset$/,
    'util-linux': /^usr\/bin\/nsenter$/,
    libip4tc2: LIBRARIES,
    libip6tc2: LIBRARIES,
    libipset13: LIBRARIES,
    libmnl0: LIBRARIES,
    libnftnl11: LIBRARIES,
    'libpcre2-8-0': LIBRARIES,
    libselinux1: LIBRARIES,
    libxtables12: LIBRARIES,
  },
}

/** Symbolic links such as `iptables` to `iptables-nft`, as Debian's `update-alternatives` creates them. */
export const PLAIN_NAMES = ['iptables', 'ip6tables'].flatMap((stem) =>
  ['', '-save', '-restore'].map((ending) => ({ path: `usr/sbin/${stem}${ending}`, to: `${stem}-nft${ending}` })),
)

/** Folders in Debian's root folder that are symbolic links to folders in /usr (merged /usr). */
export const MERGED = ['bin', 'lib', 'lib64', 'sbin'] as const

export const ACCOUNTS = {
  'etc/passwd': 'root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n',
}
