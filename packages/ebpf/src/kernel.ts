import { closeSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statfsSync, unlinkSync } from 'node:fs'
import { loadSys, type Sys } from '@cni/netns/sys'

/** System calls and file operations that this package uses. Errors have the errno name as `code`. */
export interface Kernel {
  readonly bpf: Sys['bpf']
  close(fd: number): void
  /** Mounts a new, empty bpf file system on a folder. */
  mount(folder: string): void
  /** Number of the file system type of a path, from statfs(2). `undefined` if the path does not exist. */
  fileSystem(path: string): number | undefined
  /** Mounts that this process sees: the content of `/proc/self/mountinfo`. */
  mounts(): string
  /** Effective capabilities of this process, as a bit mask. */
  capabilities(): bigint
  makeFolder(path: string): void
  removeFolder(path: string): void
  /** Names of the files in a folder. `undefined` if the folder does not exist. */
  list(folder: string): string[] | undefined
  unlink(path: string): void
  rename(from: string, to: string): void
}

/** Implementation of `Kernel` by the system calls of the running Linux kernel. */
export function realKernel(): Kernel {
  return {
    bpf: (command, attr, pointers) => loadSys().bpf(command, attr, pointers),
    close: closeSync,
    mount: (folder) => loadSys().mount('bpf', folder, 'bpf', MS_NOSUID | MS_NODEV | MS_NOEXEC, 'mode=0700'),
    fileSystem: (path) => unlessMissing(() => statfsSync(path).type >>> 0),
    mounts: () => readFileSync('/proc/self/mountinfo', 'utf8'),
    capabilities() {
      const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/thread-self/status', 'utf8'))?.[1]
      return BigInt(`0x${mask ?? '0'}`)
    },
    makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
    removeFolder: rmdirSync,
    list: (folder) => unlessMissing(() => readdirSync(folder)),
    unlink: unlinkSync,
    rename: renameSync,
  }
}

const [MS_NOSUID, MS_NODEV, MS_NOEXEC] = [2, 4, 8]

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Errno name of an error that the kernel reported. `undefined` for other errors. */
export function errnoOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
