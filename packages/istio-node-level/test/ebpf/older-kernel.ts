import { loadSys } from '@cni/netns/sys'
import { vi } from 'vitest'

/** What a kernel is built without, or is too old for. */
export type Missing = 'clsact' | 'cls_bpf' | 'sk_assign'

/**
 * Has the kernel refuse as one does that has none of it, in its own words: what goes to it asks for a kind, or a function,
 * that no kernel has. Until it is disposed of.
 */
export function kernelWithout(missing: Missing): Disposable {
  const sys = loadSys()
  const spy = missing === 'sk_assign' ? withoutHelper(SK_ASSIGN) : withoutKind(missing === 'clsact' ? missing : 'bpf')
  return { [Symbol.dispose]: () => spy.mockRestore() }

  function withoutKind(kind: string) {
    const { sendto } = sys
    return vi.spyOn(sys, 'sendto').mockImplementation((fd, data, ...rest) => {
      const copy = Buffer.from(data)
      // TCA_KIND, and the name as C has it.
      const attribute = Buffer.from([kind.length + 5, 0, 1, 0, ...Buffer.from(`${kind}\0`)])
      const at = copy.indexOf(attribute)
      if (at !== -1) copy.write('none'.slice(0, kind.length).padEnd(kind.length, 'x'), at + 4)
      return sendto(fd, copy, ...rest)
    })
  }

  function withoutHelper(id: number) {
    const { bpf } = sys
    return vi.spyOn(sys, 'bpf').mockImplementation((command, attr, pointers = []) => {
      const changed = pointers.map(([offset, bytes]): readonly [number, Uint8Array] => {
        if (command !== PROG_LOAD || offset !== INSTRUCTIONS) return [offset, bytes]
        const copy = Buffer.from(bytes)
        for (let at = 0; at < copy.length; at += 8) {
          if (copy[at] === CALL && copy.readInt32LE(at + 4) === id) copy.writeInt32LE(NO_HELPER, at + 4)
        }
        return [offset, copy]
      })
      return bpf(command, attr, changed)
    })
  }
}

// internal

const PROG_LOAD = 5
/** Where the attribute has the address of the instructions. */
const INSTRUCTIONS = 8
const CALL = 0x85
const SK_ASSIGN = 124
const NO_HELPER = 99_999
