import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'

/** Debian's names of the supported machines. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** A file of a Debian archive, identified by its hash. */
export interface PinnedFile {
  /** Debian archive that contains the file. apt's settings have a mirror for each archive. */
  readonly archive: 'debian' | 'debian-security'
  /** Path from the archive's root. */
  readonly path: string
  readonly sha256: string
}

export interface PinnedPackage {
  readonly version: string
  readonly files: Readonly<Record<Architecture, PinnedFile>>
}

/** Pinned inputs of the images. */
export interface Pins {
  /** The release of Debian. */
  readonly suite: string
  readonly packages: Readonly<Record<string, PinnedPackage>>
  /** Runtimes for other machines, from the npm registry. */
  readonly runtimes: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
}

export const PINS_FILE = join(root, 'packages/istio-redirect/deploy/image/pins.json')

export const readPins = (): Pins => JSON.parse(readFileSync(PINS_FILE, 'utf8'))

export const writePins = (pins: Pins): void => writeFileSync(PINS_FILE, `${JSON.stringify(pins, null, 2)}\n`)
