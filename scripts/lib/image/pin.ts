import { exec } from '../exec.ts'
import { Stop, say } from '../progress.ts'
import { CONTENTS } from './contents.ts'
import { ownApt } from './own-apt.ts'
import {
  ARCHITECTURES,
  type Architecture,
  type PinnedFile,
  type PinnedPackage,
  type Pins,
  readPins,
  writePins,
} from './pins.ts'

/**
 * Records the newest version of each Debian package for the images. apt verifies Debian's signature of the package
 * lists.
 */
export async function pin(folder: string): Promise<void> {
  const before = readPins()
  const apt = [
    'apt-cache',
    ...(await ownApt(folder, before.suite, ARCHITECTURES)),
    'show',
    '--no-all-versions',
  ] as const
  const names = Object.keys({ ...CONTENTS.base, ...CONTENTS.programs }).sort()
  const wanted = names.flatMap((name) => ARCHITECTURES.map((each) => `${name}:${each}`))
  // Calls apt once for all packages, because each call of apt reads all package lists.
  const records = (await exec([...apt, ...wanted], { quiet: true })).split('\n\n').filter((text) => text !== '')
  const packages = Object.fromEntries(names.map((name) => [name, newest(name, records)]))
  const pins: Pins = { ...before, packages }
  writePins(pins)
  for (const [name, { version }] of Object.entries(packages)) {
    const old = before.packages[name]?.version
    if (old !== version) say(`  ${name} ${old === undefined ? '' : `${old} → `}${version}`)
  }
}

function newest(name: string, records: readonly string[]): PinnedPackage {
  const [amd64, arm64] = [recorded(name, 'amd64', records), recorded(name, 'arm64', records)]
  const version = amd64('Version')
  if (arm64('Version') !== version) {
    throw new Stop(`${name} is ${version} for amd64 and ${arm64('Version')} for arm64: the mirror is being changed`)
  }
  return { version, files: { amd64: fileOf(amd64), arm64: fileOf(arm64) } }
}

type Fields = (key: string) => string

function recorded(name: string, architecture: Architecture, records: readonly string[]): Fields {
  const fields = records.map((text) => (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1] ?? '')
  const found = fields.find((of) => of('Package') === name && of('Architecture') === architecture)
  if (found === undefined) throw new Stop(`the mirrors have no ${name} for ${architecture}`)
  return found
}

function fileOf(of: Fields): PinnedFile {
  const path = of('Filename')
  return { archive: path.startsWith('pool/updates/') ? 'debian-security' : 'debian', path, sha256: of('SHA256') }
}
