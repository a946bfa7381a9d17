import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'

/** Debian's names of the machines that an image is made for. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** One file of a Debian archive, known by its bytes. */
export interface PinnedFile {
  /** Of which archive: a machine has a mirror for each. */
  readonly archive: 'debian' | 'debian-security'
  /** From the archive's root. */
  readonly path: string
  readonly sha256: string
}

export interface PinnedPackage {
  readonly version: string
  readonly files: Readonly<Record<Architecture, PinnedFile>>
}

/** What the images are made of. */
export interface Pins {
  /** The release of Debian. */
  readonly suite: string
  readonly packages: Readonly<Record<string, PinnedPackage>>
  /** Runtimes of other machines, from the npm registry. */
  readonly runtimes: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
}

export const PINS_FILE = join(root, 'packages/istio-redirect/deploy/image/pins.json')

export const readPins = (): Pins => JSON.parse(readFileSync(PINS_FILE, 'utf8'))

export const writePins = (pins: Pins): void => writeFileSync(PINS_FILE, `${JSON.stringify(pins, null, 2)}\n`)
