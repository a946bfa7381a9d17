import { ebpfOver } from '../ebpf.ts'
import type { Ebpf } from '../types.ts'
import { fakeKernel } from './fake-kernel.ts'

/**
 * `ebpf()` over a fake kernel with its own maps, pins and errors. The verifier is the given one. Programs do not run:
 * `testRun` throws `NOT_SUPPORTED`.
 */
export function fakeEbpf(
  options: {
    /** Output of the verifier for a program; `undefined` accepts it. Default: accepts all programs. */
    readonly verifier?: ((name: string, instructions: Uint8Array) => string | undefined) | undefined
    /** True if there is a bpf file system at `/sys/fs/bpf`. Default: true. */
    readonly bpffs?: boolean | undefined
    /** True if the process has all capabilities. Default: true. */
    readonly privileged?: boolean | undefined
  } = {},
): Ebpf {
  return ebpfOver(fakeKernel(options))
}
