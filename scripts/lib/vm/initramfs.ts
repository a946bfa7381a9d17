import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from '../progress.ts'
import { cpio } from './cpio.ts'
import type { Kernel } from './kernel.ts'

/** What Debian's kernel needs to see this machine's files: it has next to nothing built in. */
const MODULES = ['virtio_pci', '9pnet_virtio', '9p', 'overlay']
const MACHINE = fileURLToPath(new URL('machine.sh', import.meta.url))

/** What a machine is made of beside its kernel. */
export interface Contents {
  /** A program without libraries, for the machine's processor. */
  readonly busybox: string
  /** The folder of the kernel's modules, as it is called among the files that the machine sees. */
  readonly modules: string
  /** A script of those files for `sh`, and its arguments. */
  readonly script: readonly string[]
}

/** For a machine that sees all files of this one: what is to be done before a command can run in a folder, and that. */
export const likeHere = (kernel: Kernel, folder: string, command: readonly string[]): Contents => ({
  busybox: '/bin/busybox',
  modules: dirname(kernel.modules),
  script: [MACHINE, folder, ...command],
})

/** The machine's first file system: it loads the modules, makes files of this machine its own, and runs the script there. */
export function initramfs(kernel: Kernel, { busybox, modules: seen, script }: Contents): Buffer {
  const modules = withDependencies(MODULES, readFileSync(join(kernel.modules, 'modules.dep'), 'utf8'))
  const unfit = script.find((argument) => argument.includes('\n'))
  if (unfit !== undefined) throw new Stop(`a line break in ${JSON.stringify(unfit)}: it cannot be passed on`, 2)
  return cpio([
    ...['bin', 'modules'].map((name) => ({ name })),
    { name: 'bin/busybox', content: readFileSync(busybox), executable: true },
    { name: 'init', content: readFileSync(new URL('init.sh', import.meta.url)), executable: true },
    { name: 'command', content: lines(script) },
    { name: 'modules/folder', content: seen },
    { name: 'modules/order', content: lines(modules.map((path) => basename(path))) },
    ...modules.map((path) => ({
      name: `modules/${basename(path)}`,
      content: readFileSync(join(kernel.modules, path)),
    })),
  ])
}

const lines = (all: readonly string[]) => all.map((line) => `${line}\n`).join('')

/** Each module behind those it needs. @param text - of `modules.dep` */
function withDependencies(names: readonly string[], text: string): string[] {
  const needs = new Map(
    text.split('\n').map((line) => {
      const [path = '', needed = ''] = line.split(':')
      return [path, needed.split(' ').filter(Boolean)] as const
    }),
  )
  return [
    ...new Set(
      names.flatMap((name) => {
        const path = [...needs.keys()].find((each) => basename(each) === `${name}.ko`)
        if (path === undefined) throw new Stop(`Debian's kernel has no module ${name}`)
        // What is named last is needed first.
        return [...(needs.get(path) ?? []).toReversed(), path]
      }),
    ),
  ]
}
