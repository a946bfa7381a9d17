import { ebpfOver } from '../ebpf.ts'
import type { Ebpf } from '../types.ts'
import { fakeKernel } from './fake-kernel.ts'

/**
 * `ebpf()` over a fake kernel of its own: the same maps, pins and errors. It has no verifier but the one that it is given,
 * and runs no program: `testRun` is `NOT_SUPPORTED`.
 */
export function fakeEbpf(
  options: {
    /** What the verifier says of a program, by its name; `undefined`: nothing, it is taken. Default: it takes all of them. */
    readonly verifier?: ((name: string, instructions: Uint8Array) => string | undefined) | undefined
    /** Is there a bpf file system at `/sys/fs/bpf`? Default: true. */
    readonly bpffs?: boolean | undefined
    /** May this process do anything? Default: true. */
    readonly privileged?: boolean | undefined
  } = {},
): Ebpf {
  return ebpfOver(fakeKernel(options))
}
