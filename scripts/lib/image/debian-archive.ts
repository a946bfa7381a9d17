import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { Stop } from '../progress.ts'
import { MERGED } from './contents.ts'
import type { PinnedFile } from './pins.ts'
import { type Entry, file, symlink } from './tar.ts'

/** Path of apt's download program. It uses apt's proxy and apt's credentials for a mirror. */
const APT_HELPER = '/usr/lib/apt/apt-helper'
const DEFAULT = { debian: 'http://deb.debian.org/debian/', 'debian-security': 'http://deb.debian.org/debian-security/' }

/** URLs of Debian's archives: the mirrors in this machine's apt settings, else Debian's own servers. */
export async function mirrors(): Promise<Readonly<Record<PinnedFile['archive'], string>>> {
  if (!existsSync(APT_HELPER)) {
    throw new Stop(
      'images are made of Debian packages, with apt and dpkg-deb: run this on Debian, or build the Dockerfile',
    )
  }
  const format = '$(LABEL)\t$(REPO_URI)'
  const lines = await exec(['apt-get', 'indextargets', 'Created-By: Packages', '--format', format], { quiet: true })
  const named = new Map(
    lines.split('\n').map((line): [string, string] => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']),
  )
  return {
    debian: named.get('Debian') ?? DEFAULT.debian,
    'debian-security': named.get('Debian-Security') ?? DEFAULT['debian-security'],
  }
}

/** Path of a pinned Debian package from the cache or a mirror. Verifies the hash. */
export async function download(
  { archive, path, sha256 }: PinnedFile,
  cache: string,
  hint = 'A mirror keeps the newest versions only: npm run image -- --pin takes those, and writes them into pins.json.',
): Promise<string> {
  const kept = join(cache, `${sha256}.deb`)
  if (existsSync(kept) && sha256Of(readFileSync(kept)) === sha256) return kept
  mkdirSync(cache, { recursive: true })
  rmSync(kept, { force: true })
  const url = `${(await mirrors())[archive]}${path}`
  await exec([APT_HELPER, '-o', 'APT::Sandbox::User=root', 'download-file', url, kept, `SHA256:${sha256}`], {
    quiet: true,
    hint,
  })
  return kept
}

/** Extracts the selected files and the control file of a Debian package. */
export async function unpack(
  deb: string,
  wanted: (path: string) => boolean,
  folder: string,
): Promise<{ entries: Entry[]; control: string }> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await exec(['dpkg-deb', '--extract', deb, folder], { quiet: true })
  const control = await exec(['dpkg-deb', '--field', deb], { quiet: true })
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((found) => {
    const path = join(found.parentPath, found.name)
    const name = merged(path.slice(folder.length + 1))
    if (found.isDirectory() || !wanted(name)) return []
    if (found.isSymbolicLink()) return [symlink(name, readlinkSync(path))]
    return [file(name, readFileSync(path), statSync(path).mode & 0o777)]
  })
  rmSync(folder, { recursive: true })
  return { entries, control }
}

export const sha256Of = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

// internal

const merged = (path: string): string => (MERGED.some((one) => path.startsWith(`${one}/`)) ? `usr/${path}` : path)
