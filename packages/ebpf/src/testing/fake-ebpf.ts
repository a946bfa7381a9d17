import { ebpfFrom } from '../ebpf.ts'
import type { Ebpf } from '../types.ts'
import { fakeKernel } from './fake-kernel.ts'

/**
 * Fake of `ebpf()` for tests: a kernel in memory. The option `verifier` decides which BPF programs load. BPF programs
 * do not run: `testRun` throws `NOT_SUPPORTED`.
 */
export function fakeEbpf(
  options: {
    /**
     * Fake of the BPF verifier. It returns `undefined` to accept a program, else the verifier's output. Default:
     * accepts all programs.
     */
    readonly verifier?: ((name: string, instructions: Uint8Array) => string | undefined) | undefined
    /** True if a bpf file system is mounted on `/sys/fs/bpf`. Default: true. */
    readonly bpffs?: boolean | undefined
    /** True if the process has all capabilities that BPF calls need. Default: true. */
    readonly privileged?: boolean | undefined
  } = {},
): Ebpf {
  return ebpfFrom(fakeKernel(options))
}
