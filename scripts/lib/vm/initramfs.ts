import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from '../progress.ts'
import { cpio } from './cpio.ts'
import type { Kernel } from './kernel.ts'

/** Kernel modules for mounting the host machine's files. They are not built into Debian's kernel. */
const MODULES = ['virtio_pci', '9pnet_virtio', '9p', 'overlay']
const MACHINE = fileURLToPath(new URL('machine.sh', import.meta.url))

/** Content of the virtual machine's first file system, besides the kernel. */
export interface Contents {
  /** Path of a static busybox for the processor of the virtual machine. */
  readonly busybox: string
  /** Folder of the kernel's modules, as a path inside the virtual machine. */
  readonly modules: string
  /** Shell script that the virtual machine runs, and the script's arguments. */
  readonly script: readonly string[]
}

/** First file system of a virtual machine that sees all files of the host machine. */
export const likeHere = (kernel: Kernel, folder: string, command: readonly string[]): Contents => ({
  busybox: '/bin/busybox',
  modules: dirname(kernel.modules),
  script: [MACHINE, folder, ...command],
})

/** Creates the virtual machine's first file system, which mounts files and runs the script. */
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

/**
 * Sorts kernel modules so that dependencies come first.
 *
 * @param text - content of the file `modules.dep`
 */
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
        // Reverses the dependencies: in `modules.dep`, the last dependency of a module must be loaded first.
        return [...(needs.get(path) ?? []).toReversed(), path]
      }),
    ),
  ]
}
