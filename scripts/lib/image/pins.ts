import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'

/** Debian's names of the processor architectures for which images are built. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

/** A file of a Debian archive that the images use, pinned by its hash. */
export interface PinnedFile {
  /** Debian archive that contains the pinned file. apt's settings have a mirror for each archive. */
  readonly archive: 'debian' | 'debian-security'
  /** Path of the pinned file below the root of its Debian archive. */
  readonly path: string
  readonly sha256: string
}

export interface PinnedPackage {
  readonly version: string
  readonly files: Readonly<Record<Architecture, PinnedFile>>
}

/** Pinned versions and hashes of all downloads for the container images, as in pins.json. */
export interface Pins {
  /** Name of the Debian release, such as `bookworm`. */
  readonly suite: string
  readonly packages: Readonly<Record<string, PinnedPackage>>
  /** Packages with the JavaScript runtime for other processor architectures, from the npm registry. */
  readonly runtimes: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>
}

export const PINS_FILE = join(root, 'packages/istio-redirect/deploy/image/pins.json')

export const readPins = (): Pins => JSON.parse(readFileSync(PINS_FILE, 'utf8'))

export const writePins = (pins: Pins): void => writeFileSync(PINS_FILE, `${JSON.stringify(pins, null, 2)}\n`)
