import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { updateLists } from '../debian.ts'
import { exec } from '../exec.ts'
import { Stop, step } from '../progress.ts'

/** Name of the Debian package that always depends on the newest kernel for this processor. */
const NEWEST = 'linux-image-amd64'
/** Folders with most of the kernel's modules. The virtual machine lacks the devices of these modules. */
const UNUSED = [
  'sound',
  ...['gpu', 'media', 'scsi', 'infiniband', 'iio', 'usb', 'input', 'staging'].map((name) => `drivers/${name}`),
]

/** A kernel for the virtual machine, unpacked from a Debian package. */
export interface Kernel {
  readonly version: string
  readonly image: string
  /** Folder that contains the kernel's modules. */
  readonly modules: string
}

/**
 * Unpacks Debian's newest kernel for the virtual machine, without installing it.
 *
 * @param options - `install` allows the download
 */
export async function debianKernel(
  cache: string,
  options: { install: boolean; work: string },
): Promise<Kernel | undefined> {
  const kept = readdirSync(cache).filter((name) => name.startsWith('linux-image-'))
  const name = options.install ? await newest() : kept.at(-1)
  if (name === undefined) return undefined
  const folder = join(cache, name)
  if (!existsSync(folder)) {
    await step(`${name}, out of Debian's package`, async () => renameSync(await unpack(name, options.work), folder))
    for (const old of kept) rmSync(join(cache, old), { recursive: true })
  }
  const [version = ''] = readdirSync(join(folder, 'lib/modules'))
  return { version, image: join(folder, 'boot', `vmlinuz-${version}`), modules: join(folder, 'lib/modules', version) }
}

/** File name of Debian's newest kernel package, which contains the version. */
async function newest(): Promise<string> {
  const name = (await dependency()) ?? (await updateLists().then(dependency))
  if (name === undefined) throw new Stop(`this machine's Debian archive has no ${NEWEST}`)
  const said = await exec(['apt-get', 'download', '--print-uris', name], { quiet: true })
  const file = / (\S+)\.deb \d+ /.exec(said)?.[1]
  if (file === undefined) throw new Stop(`apt-get does not say where ${name} is: ${said.trim()}`)
  return file
}

async function dependency(): Promise<string | undefined> {
  const said = await exec(['apt-cache', 'depends', NEWEST], { quiet: true }).catch(() => '')
  return /Depends: (linux-image-\S+)/.exec(said)?.[1]
}

async function unpack(name: string, work: string): Promise<string> {
  const [folder, downloads] = [join(work, 'kernel'), join(work, 'download')]
  mkdirSync(downloads)
  const [program = ''] = name.split('_')
  // Lets apt download as root, because apt's own user cannot write to the cache folder.
  const root = ['-o', 'APT::Sandbox::User=root']
  await exec(['apt-get', ...root, 'download', '-qq', program], { quiet: true, cwd: downloads })
  const [file = ''] = readdirSync(downloads)
  await exec(['dpkg-deb', '--extract', join(downloads, file), folder], { quiet: true })
  const [version = ''] = readdirSync(join(folder, 'lib/modules'))
  for (const unused of UNUSED) {
    rmSync(join(folder, 'lib/modules', version, 'kernel', unused), { recursive: true, force: true })
  }
  await exec(['depmod', '--basedir', folder, basename(version)], { quiet: true })
  return folder
}
