import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { download } from '../image/debian-archive.ts'
import type { PinnedFile } from '../image/pins.ts'
import { Stop } from '../progress.ts'
import { EDITED_FILES, editEngine } from './engine-edits.ts'
import { C_LIBRARY, ENGINE_SOURCE, MBEDTLS_VERSION, type Processor, QUICKJS_VERSION, TLS_SOURCE } from './pins.ts'

const HINT = 'The archive no longer has it, or cannot be reached. Until then plugins are built with --runtime bun.'

/** Folder with the source of QuickJS, with our changes applied. */
export async function engineSource(cache: string): Promise<string> {
  const folder = join(cache, 'quickjs')
  await unpackOnce(folder, ENGINE_SOURCE.sha256, async (into) => {
    await unpack(ENGINE_SOURCE, cache, into)
    const version = readFileSync(join(into, 'VERSION'), 'utf8').trim()
    if (version !== QUICKJS_VERSION) throw new Stop(`the pinned engine is ${version}, pins.ts says ${QUICKJS_VERSION}`)
  })
  mkdirSync(join(folder, 'edited'), { recursive: true })
  for (const file of EDITED_FILES) {
    writeFileSync(join(folder, 'edited', file), editEngine(file, readFileSync(join(folder, file), 'utf8')))
  }
  return folder
}

/** Folder with the unchanged source of the TLS library Mbed TLS. */
export async function tlsSource(cache: string): Promise<string> {
  const folder = join(cache, 'mbedtls')
  await unpackOnce(folder, TLS_SOURCE.sha256, async (into) => {
    await unpack(TLS_SOURCE, cache, into)
    const header = readFileSync(join(into, 'include/mbedtls/build_info.h'), 'utf8')
    const version = /MBEDTLS_VERSION_STRING +"([^"]+)"/.exec(header)?.[1]
    if (version !== MBEDTLS_VERSION)
      throw new Stop(`the pinned Mbed TLS is ${version}, pins.ts says ${MBEDTLS_VERSION}`)
  })
  return folder
}

export interface CLibrary {
  readonly headers: string
  /** Folder with musl's files for the linker, such as crt1.o and libc.a. */
  readonly libraries: string
  readonly licence: string
}

/** Unpacks musl's Debian package without installing it or changing this machine's apt state. */
export async function cLibrary(processor: Processor, cache: string): Promise<CLibrary> {
  const folder = join(cache, `musl-${processor}`)
  await unpackOnce(folder, C_LIBRARY[processor].sha256, async (into) => {
    const deb = await download(C_LIBRARY[processor], join(cache, 'downloads'), HINT)
    await exec(['dpkg-deb', '--extract', deb, into], { quiet: true })
  })
  const triplet = `${processor === 'x64' ? 'x86_64' : 'aarch64'}-linux-musl`
  return {
    headers: join(folder, 'usr/include', triplet),
    libraries: join(folder, 'usr/lib', triplet),
    licence: join(folder, 'usr/share/doc/musl-dev/copyright'),
  }
}

/** Downloads a source archive and unpacks it without its top folder. */
async function unpack(source: PinnedFile, cache: string, into: string): Promise<void> {
  const archive = await download(source, join(cache, 'downloads'), HINT)
  await exec(['tar', '--strip-components=1', '-xf', archive, '-C', into], {
    quiet: true,
    hint: 'tar needs xz and bzip2 for it: apt-get install xz-utils bzip2',
  })
}

/** Unpacks a source archive into a folder atomically. A folder that already has the archive's hash stays unchanged. */
async function unpackOnce(folder: string, sha256: string, unpack: (into: string) => Promise<void>): Promise<void> {
  const mark = join(folder, '.sha256')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === sha256) return
  const fresh = `${folder}.new`
  for (const each of [folder, fresh]) rmSync(each, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  await unpack(fresh)
  writeFileSync(join(fresh, '.sha256'), sha256)
  renameSync(fresh, folder)
}
