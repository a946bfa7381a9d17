import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { Stop } from '../progress.ts'
import type { Processor } from '../runtime/pins.ts'
import type { Architecture, Pins } from './pins.ts'

/** Names that other tools use for each architecture. `runtime` is the npm package with bun for the architecture. */
export const TARGETS: Readonly<Record<Architecture, { target: string; processor: Processor; runtime?: string }>> = {
  amd64: { target: 'linux-x64-baseline', processor: 'x64' },
  arm64: { target: 'linux-arm64', processor: 'arm64', runtime: '@oven/bun-linux-aarch64' },
}

/**
 * Prepares a folder with bun for another processor. npm installs bun only for this machine's processor.
 *
 * @throws Stop if the registry lacks the package or has other bytes
 */
export async function withRuntime(architecture: Architecture, { runtimes }: Pins, folder: string): Promise<string> {
  const { runtime } = TARGETS[architecture]
  mkdirSync(folder, { recursive: true })
  if (runtime === undefined) return folder
  const pinned = runtimes[runtime]
  if (pinned === undefined)
    throw new Stop(`${runtime} is not in pins.json: without it there is no image for ${architecture}`)
  const place = join(folder, 'node_modules', runtime)
  const stamp = join(place, 'package.json')
  if (existsSync(stamp) && JSON.parse(readFileSync(stamp, 'utf8')).version === pinned.version) return folder
  const packed = join(folder, 'packed')
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  await exec(['npm', 'pack', `${runtime}@${pinned.version}`, '--pack-destination', packed], {
    quiet: true,
    cwd: folder,
    hint: `The image for ${architecture} needs it; --platform linux/amd64 makes the other alone.`,
  })
  const tarball = join(packed, readdirSync(packed)[0] ?? '')
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  if (integrity !== pinned.integrity) {
    throw new Stop(
      `${runtime}@${pinned.version}: the registry's file is ${integrity}, pins.json has ${pinned.integrity}`,
    )
  }
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  // Extracts package.json last, because this file marks a completely extracted package.
  await exec(['tar', '-xzf', tarball, '-C', place, '--strip-components=1', '--exclude=package.json', 'package'], {
    quiet: true,
  })
  await exec(['tar', '-xzf', tarball, '-C', place, '--strip-components=1', 'package/package.json'], { quiet: true })
  rmSync(packed, { recursive: true })
  return folder
}
