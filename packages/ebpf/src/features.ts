import { openRtnl } from '@cni/netns'
import { runInNew } from '@cni/netns/enter'
import { current } from '@cni/netns/handle'
import { attachFilter } from './attach.ts'
import { isEbpfError } from './errors.ts'
import { type Kernel, realKernel } from './kernel.ts'
import { loadProgram } from './program.ts'
import type { Ebpf } from './types.ts'

const license = 'Apache-2.0'

/**
 * Finds out which helper functions BPF programs may call, by loading small programs that call them. Throws
 * `EbpfError('EPERM')`.
 */
export function findFeatures(kernel: Kernel): ReturnType<Ebpf['features']> {
  return {
    skcLookup: loads(kernel, withSocket('bf01000000000000')), // copies the socket from register r0 to r1
    // Calls sk_assign(packet, socket, 0) with the socket in r7, and copies the socket to r1.
    skAssign: loads(
      kernel,
      withSocket(
        ...['bf07000000000000', 'bf61000000000000', 'bf72000000000000', 'b703000000000000', '850000007c000000'],
        'bf71000000000000',
      ),
    ),
  }
}

/**
 * True if BPF programs can be attached to links. Attaching needs clsact (Linux 4.5) and cls_bpf. The test needs
 * `CAP_SYS_ADMIN`. Throws `EbpfError` or `NetnsError` if this test is not possible.
 */
export async function supportsFilters(): Promise<boolean> {
  using nowhere = runInNew(() => current())
  using rtnl = await openRtnl(nowhere)
  using program = loadProgram(realKernel(), { name: 'probe', instructions: code(RETURN_0), license })
  try {
    await attachFilter(rtnl, { link: 'lo', direction: 'egress', program })
    return true
  } catch (error) {
    if (isEbpfError(error) && error.code === 'NOT_SUPPORTED') return false
    throw error
  }
}

const RETURN_0 = 'b7000000000000009500000000000000'

function loads(kernel: Kernel, instructions: Uint8Array): boolean {
  try {
    loadProgram(kernel, { name: 'probe', instructions, license }).close()
    return true
  } catch (error) {
    if (isEbpfError(error) && error.code === 'NOT_SUPPORTED') return false
    throw error
  }
}

/** Assembles a BPF program that looks up a TCP socket and runs `use`. `use` must copy the socket from r0 to r1. */
function withSocket(...use: readonly string[]): Uint8Array {
  const jump = Buffer.from('1500000000000000', 'hex')
  // Offset of the jump to the end of the BPF program, for a missing socket.
  jump.writeInt16LE(use.length + 1, 2)
  return code(
    'bf16000000000000', // copies the packet pointer from register r1 to r6
    ...['7a0af0ff00000000', '620af8ff00000000'], // writes an address tuple of zeros to the stack
    ...['bfa2000000000000', '07020000f0ffffff'], // sets register r2 to a pointer to the address tuple
    ...['b70300000c000000', 'b7040000ffffffff', 'b705000000000000'], // sets r3 to size 12, r4 to the own netns, r5 to 0
    '8500000063000000', // calls the helper function skc_lookup_tcp
    jump.toString('hex'),
    ...use,
    '8500000056000000', // calls the helper function sk_release
    RETURN_0,
  )
}

const code = (...instructions: readonly string[]): Uint8Array => Buffer.from(instructions.join(''), 'hex')
