import { existsSync } from 'node:fs'
import { exec } from './exec.ts'
import { Stop, say, step } from './progress.ts'

/** Map from a Debian package for demo and tests to a file that the installed package has. */
const PACKAGES = {
  'containernetworking-plugins': '/usr/lib/cni/bridge',
  iptables: '/usr/sbin/iptables-restore',
  nftables: '/usr/sbin/nft',
  ipset: '/usr/sbin/ipset',
  'util-linux': '/usr/bin/unshare',
  iproute2: '/usr/sbin/ip',
  procps: '/usr/sbin/sysctl',
  containerd: '/usr/bin/containerd',
  runc: '/usr/sbin/runc',
  podman: '/usr/bin/podman',
  // Checks for another file than `/bin/busybox`, because the package busybox also installs `/bin/busybox`.
  'busybox-static': '/usr/share/doc/busybox-static/copyright',
  conntrack: '/usr/sbin/conntrack',
  'etcd-server': '/usr/bin/etcd',
  'qemu-system-x86': '/usr/bin/qemu-system-x86_64',
  'qemu-system-arm': '/usr/bin/qemu-system-aarch64',
  'qemu-user-static': '/usr/bin/qemu-aarch64-static',
  kmod: '/usr/sbin/depmod',
  gcc: '/usr/bin/x86_64-linux-gnu-gcc',
  'libc6-dev': '/usr/include/stdio.h',
  'gcc-aarch64-linux-gnu': '/usr/bin/aarch64-linux-gnu-gcc',
  'xz-utils': '/usr/bin/xz',
  bzip2: '/bin/bzip2',
  mmdebstrap: '/usr/bin/mmdebstrap',
  'debian-archive-keyring': '/usr/share/keyrings/debian-archive-keyring.gpg',
}

export type DebianPackage = keyof typeof PACKAGES

/** Debian packages that the tests on a real kernel need. */
export const TEST_PACKAGES = [
  ...['containernetworking-plugins', 'iptables', 'nftables', 'ipset', 'iproute2', 'procps', 'util-linux'],
  // Compiler and C library headers, for programs that tests compile with sanitizers.
  ...['gcc', 'libc6-dev'],
] as const satisfies readonly DebianPackage[]

export const missingPackages = (wanted: readonly DebianPackage[]) =>
  wanted.filter((name) => !existsSync(PACKAGES[name]))

const APT = ['apt-get', '-o', 'DPkg::Lock::Timeout=120'] as const
const QUIETLY = { quiet: true, env: { DEBIAN_FRONTEND: 'noninteractive' } }

export const updateLists = () => step('apt-get update', () => exec([...APT, 'update', '-qq'], QUIETLY))

/** Prints the names of the missing Debian packages and installs them. */
export async function ensurePackages(wanted: readonly DebianPackage[], options: { install: boolean }) {
  const missing = missingPackages(wanted)
  if (missing.length === 0) return
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`
  if (!options.install) throw new Stop(`missing Debian packages, and --no-install was given. Install them: ${command}`)
  if (process.getuid?.() !== 0) throw new Stop(`missing Debian packages: ${missing.join(', ')}. As root: ${command}`)
  if (!existsSync('/usr/bin/apt-get')) throw new Stop(`no apt-get here. Install these by hand: ${missing.join(', ')}`)
  say(`  These Debian packages will be installed: ${missing.join(', ')}`)
  await updateLists()
  await step(`apt-get install ${missing.join(' ')}`, () =>
    exec([...APT, 'install', '-y', '-qq', '--no-install-recommends', ...missing], QUIETLY),
  )
  const still = missingPackages(wanted)
  if (still.length > 0) throw new Stop(`apt-get succeeded, but these are still missing: ${still.join(', ')}`)
}
