import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { PLAIN_NAMES } from '../image/contents.ts'
import { ownApt } from '../image/own-apt.ts'
import { readPins } from '../image/pins.ts'
import { Stop, step } from '../progress.ts'
import type { Kernel } from '../vm/kernel.ts'

/** Name of the Debian package that always depends on the newest arm64 kernel. */
const NEWEST_KERNEL = 'linux-image-arm64'
/** Debian packages for the emulated machine. The tests use `nft` to read the rules that netlink has written. */
const PROGRAMS = ['busybox-static', 'iptables', 'nftables'] as const

/**
 * Finds Debian's newest arm64 packages, which are never installed on the host machine.
 *
 * @param cache - folder for the packages; older versions are removed
 * @param options - `install` allows the download
 * @returns the package files; empty if packages are missing
 */
export async function debianPackages(cache: string, { install }: { install: boolean }): Promise<string[]> {
  const folder = join(cache, 'packages')
  mkdirSync(folder, { recursive: true })
  if (install) {
    const apt = await ownApt(join(cache, 'apt'), readPins().suite, ['arm64'])
    await step("Debian's packages for arm64", async () => {
      const wanted = await uris([...apt, 'install', '--no-install-recommends', ...PROGRAMS])
      const said = await exec(['apt-cache', ...apt, 'depends', NEWEST_KERNEL], { quiet: true })
      const kernel = /Depends: (linux-image-\S+)/.exec(said)?.[1]
      if (kernel === undefined) throw new Stop(`this machine's Debian archive has no ${NEWEST_KERNEL}`)
      wanted.push(...(await uris([...apt, 'download', kernel])))
      const files = new Set(wanted)
      // Downloads only packages that are missing or outdated in the folder: apt compares the hashes of the packages.
      const names = wanted.map((file) => file.split('_', 1).join())
      await exec(['apt-get', ...apt, 'download', '-qq', ...names], { quiet: true, cwd: folder })
      for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name), { recursive: true })
      return { note: `${files.size} files` }
    })
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  return files.some((name) => name.startsWith('linux-image-')) ? files.map((name) => join(folder, name)) : []
}

/** Returns the file names of the packages that an apt command would download. */
async function uris(command: readonly string[]): Promise<string[]> {
  const said = await exec(['apt-get', ...command, '--print-uris', '-qq', '-y'], { quiet: true })
  return [...said.matchAll(/^'[^']+' (\S+\.deb) \d+ /gm)].map(([, file = '']) => file)
}

/** Unpacks Debian packages into the root folder of the emulated machine. Adds symbolic links to programs. */
export async function unpackMachine(packages: readonly string[], folder: string): Promise<void> {
  mkdirSync(folder)
  for (const file of packages) await exec(['dpkg-deb', '--extract', file, folder], { quiet: true })
  await exec(['depmod', '--basedir', folder, kernelIn(folder).version], { quiet: true })
  for (const name of ['dev', 'proc', 'root', 'run/istio-cni', 'sbin', 'sys', 'tmp', 'opt/cni/bin']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  const links = [
    { path: 'bin/sh', to: 'busybox' },
    // Path of the program that the kernel starts to load a module.
    { path: 'sbin/modprobe', to: '../bin/busybox' },
    ...PLAIN_NAMES,
  ]
  for (const { path, to } of links) {
    rmSync(join(folder, path), { force: true })
    symlinkSync(to, join(folder, path))
  }
}

/** Finds the kernel image and its modules in the root folder of the emulated machine. */
export function kernelIn(folder: string): Kernel {
  const [version = ''] = readdirSync(join(folder, 'lib/modules'))
  return { version, image: join(folder, 'boot', `vmlinuz-${version}`), modules: join(folder, 'lib/modules', version) }
}
