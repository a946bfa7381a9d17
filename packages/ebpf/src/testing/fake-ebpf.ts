import { type Ebpf, ebpfOver } from '../ebpf.ts'
import { type FakeOptions, fakeKernel } from './fake-kernel.ts'

/**
 * `ebpf()` over a fake kernel of its own: the same maps, pins and errors. It has no verifier but the one that it is given,
 * and runs no program: `testRun` is `NOT_SUPPORTED`.
 */
export function fakeEbpf(options: FakeOptions = {}): Ebpf {
  return ebpfOver(fakeKernel(options))
}
